// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "eviction/quantity.h"

namespace evictd::eviction {

/// Go's conversion int64(x) of an unsigned number: keeps the bits.
inline std::int64_t wrapped(std::uint64_t amount) {
  return static_cast<std::int64_t>(amount);
}

/// Bytes as the kubelet's messages write them: 1Ki, 1Mi.
inline Quantity binary_bytes(std::int64_t amount) {
  return Quantity(amount, QuantityFormat::kBinarySI);
}

}  // namespace evictd::eviction
