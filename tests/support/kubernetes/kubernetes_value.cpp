// SPDX-License-Identifier: Apache-2.0
#include "support/kubernetes/kubernetes_value.h"

#include <algorithm>
#include <array>
#include <limits>

#include "eviction/amounts.h"
#include "eviction/quantity_big.h"

namespace evictd::test {
namespace {

using eviction::BigInteger;
using eviction::power_of_ten;
using eviction::Quantity;
using eviction::wrapped;

/// 10^64 and all higher powers are multiples of 2^64: their low bits are zero.
constexpr std::int64_t kNoLowBits = 64;
/// The highest power of ten that fits an int64.
constexpr std::int64_t kMostPower = 18;
/// Kubernetes multiplies an int64 by these powers of ten in one step, by all others digit by digit.
constexpr std::array<std::int64_t, 5> kSingleSteps{1, 2, 3, 6, 9};

/// The low 64 bits, as Go's conversion of a big number to int64 keeps them.
std::int64_t low_bits(const BigInteger& number) {
  const BigInteger masked = abs(number) & std::numeric_limits<std::uint64_t>::max();
  const auto low = static_cast<std::uint64_t>(masked);
  return wrapped(number.sign() < 0 ? ~low + 1 : low);
}

/// The low bits of number * 10^exponent; `exponent` must not be negative.
std::int64_t low_bits_of_power(const BigInteger& number, std::int64_t exponent) {
  return exponent >= kNoLowBits ? 0 : low_bits(number * power_of_ten(exponent));
}

/// An int64 times 10^exponent that does not fit. A single multiplication keeps the low bits; a
/// series of multiplications gives 0.
std::int64_t overflowed_in_place(std::int64_t unscaled, std::int64_t exponent) {
  const bool single_step =
      std::find(kSingleSteps.begin(), kSingleSteps.end(), exponent) != kSingleSteps.end();
  if (!single_step || unscaled == std::numeric_limits<std::int64_t>::min()) {
    return 0;
  }
  return low_bits_of_power(unscaled, exponent);
}

/// 10^exponent converted from floating point: an overflow becomes the smallest number, as on amd64.
std::int64_t converted_power(std::int64_t exponent) {
  return exponent > kMostPower ? std::numeric_limits<std::int64_t>::min()
                               : static_cast<std::int64_t>(power_of_ten(exponent));
}

/// For a quantity in units of 10^-places, 1 to 18 places. Units below the largest int64 count as
/// fitting, however far below zero they are, and lose their high bits before the division. A
/// remainder rounds up by one, regardless of the sign.
std::int64_t scaled_down(const Quantity::Big& amount, std::int64_t places) {
  const std::int64_t shift = amount.exponent + places;
  const bool looks_small = amount.unscaled.sign() < 0 ||
                           (shift < kNoLowBits && amount.unscaled * power_of_ten(shift) <
                                                      std::numeric_limits<std::int64_t>::max());
  if (looks_small) {
    const std::int64_t units = low_bits_of_power(amount.unscaled, shift);
    const std::int64_t divisor = converted_power(places);
    return units / divisor + (units % divisor != 0 ? 1 : 0);
  }
  if (amount.exponent >= 0) {
    return low_bits_of_power(amount.unscaled, amount.exponent);
  }
  BigInteger quotient;
  BigInteger remainder;
  boost::multiprecision::divide_qr(amount.unscaled, power_of_ten(-amount.exponent), quotient,
                                   remainder);
  return low_bits(quotient + remainder.sign());
}

}  // namespace

std::int64_t kubernetes_value(const Quantity& quantity) {
  if (quantity.sign() == 0) {
    return 0;
  }
  const Quantity::Big amount = quantity.unscaled();
  const std::optional<std::int64_t> places = quantity.arbitrary_places();
  if (!places) {
    const std::int64_t exact = quantity.value();
    const bool overflows = amount.exponent > 0 && Quantity(exact, quantity.format()) != quantity;
    return overflows
               ? overflowed_in_place(static_cast<std::int64_t>(amount.unscaled), amount.exponent)
               : exact;
  }
  if (*places > 0) {
    return scaled_down(amount, *places);
  }
  const std::int64_t units = low_bits_of_power(amount.unscaled, amount.exponent + *places);
  return wrapped(static_cast<std::uint64_t>(units) *
                 static_cast<std::uint64_t>(converted_power(-*places)));
}

}  // namespace evictd::test
