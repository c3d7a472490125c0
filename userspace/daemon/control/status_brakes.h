// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/control/status.h"

namespace evictd::daemon {

/// The part of the status about brakes; docs/status.md describes it.
[[nodiscard]] nlohmann::ordered_json brakes_json(const StatusSources& sources, MonoTime now);

/// The state file and the last run's state.
[[nodiscard]] nlohmann::ordered_json state_json(const StatusSources& sources);

}  // namespace evictd::daemon
