// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace evictd {

/// Identifies one eviction of one actuator. Never reused.
struct Ticket {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  bool operator==(const Ticket&) const = default;
};

}  // namespace evictd
