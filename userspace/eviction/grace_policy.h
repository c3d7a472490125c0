// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace evictd::eviction {

/// What a hard eviction may take of its grace.
enum class GracePolicy : std::uint8_t {
  kKubelet,    ///< All of it, down to the floor.
  kPredicted,  ///< No more than there is time for, where that is known.
};

}  // namespace evictd::eviction
