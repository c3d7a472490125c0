// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::web {

/// What /readyz requires of evictd.
enum class ReadyRequires : std::uint8_t {
  kBpf,  ///< The kernel side pushes crossings.
  kAny,  ///< evictd answers and has run a pass, with any event source.
};

/// Why evictd is not ready; "" if it is. `status` is its answer to {"op":"status"}.
[[nodiscard]] std::string not_ready_because(const nlohmann::ordered_json& status,
                                            ReadyRequires required);

}  // namespace evictd::web
