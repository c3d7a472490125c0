// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace evictd::daemon {

/// Resource usage of this process: "cpu_seconds" of all its threads since its start, user and
/// system together, and "resident_bytes", null if it cannot be read. Source: getrusage(2),
/// /proc/self/statm.
[[nodiscard]] nlohmann::ordered_json process_usage_json();

}  // namespace evictd::daemon
