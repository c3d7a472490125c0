// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace evictd::daemon {

/// Dumps to one line. Replaces invalid UTF-8 (a cgroup may have any name), which must not end the
/// daemon.
inline std::string to_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace evictd::daemon
