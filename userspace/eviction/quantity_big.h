// SPDX-License-Identifier: Apache-2.0
// The arbitrary precision part of a Quantity. In the product only quantity*.cpp include it, so that
// no other file pays for the library's headers.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "eviction/quantity.h"

namespace evictd::eviction {

using BigInteger = boost::multiprecision::cpp_int;

/// unscaled * 10^exponent.
struct Quantity::Big {
  BigInteger unscaled;
  std::int64_t exponent = 0;

  /// Position of the first digit: 10^(magnitude-1) <= |value| < 10^magnitude. Zero for zero.
  /// Check it before writing a value out in full: an exponent may be huge.
  [[nodiscard]] std::int64_t magnitude() const;
};

/// 10^exponent; `exponent` must not be negative.
[[nodiscard]] BigInteger power_of_ten(std::int64_t exponent);

}  // namespace evictd::eviction
