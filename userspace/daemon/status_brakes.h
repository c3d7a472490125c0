// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/status.h"

namespace evictd::daemon {

/// The part of status that tells what holds evictd back; docs/status.md describes it.
[[nodiscard]] nlohmann::ordered_json brakes_json(const StatusSources& sources, MonoTime now);

/// What is known of the state file and of what the last run left.
[[nodiscard]] nlohmann::ordered_json state_json(const StatusSources& sources);

}  // namespace evictd::daemon
