// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/notify/notify_worker.h"

namespace evictd::daemon {

/// The field "notify" of the status; docs/status.md describes it.
[[nodiscard]] nlohmann::ordered_json notify_json(const NotifyReport& report);

}  // namespace evictd::daemon
