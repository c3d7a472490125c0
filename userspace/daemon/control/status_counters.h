// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/control/status.h"

namespace evictd::daemon {

/// The field "counters" of the status.
[[nodiscard]] nlohmann::ordered_json counters_json(const StatusSources& sources);

}  // namespace evictd::daemon
