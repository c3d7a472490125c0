// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::web {

/// What /readyz asks of evictd.
enum class ReadyRequires : std::uint8_t {
  kBpf,  ///< Crossings are pushed by the kernel side.
  kAny,  ///< Evictd answers and has run a pass, however it notices.
};

/// Why evictd is not ready; "" if it is. `status` is its answer to {"op":"status"}.
[[nodiscard]] std::string not_ready_because(const nlohmann::ordered_json& status,
                                            ReadyRequires required);

}  // namespace evictd::web
