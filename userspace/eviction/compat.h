// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace evictd::eviction {

/// The kubelet version whose decisions evictd reproduces.
enum class Compat : std::uint8_t { k1_26, k1_32 };

}  // namespace evictd::eviction
