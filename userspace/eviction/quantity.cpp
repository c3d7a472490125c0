// SPDX-License-Identifier: Apache-2.0
// Amounts in the notation of Kubernetes: arithmetic and comparison. Reading and writing them is in
// quantity_text.cpp.
#include "eviction/quantity.h"

#include <algorithm>
#include <limits>

#include "eviction/quantity_big.h"

namespace evictd::eviction {
namespace {

using Int64Limits = std::numeric_limits<std::int64_t>;

// Where nanos() and ceiling() stop; both leave room for differences of differences in a Wide.
const BigInteger kMaxNanos = power_of_ten(37);
const BigInteger kMaxCeiling = BigInteger(1) << 126;

int sign_of(const BigInteger& number) {
  return number.sign();
}

/// number / 10^digits, with any remainder counted as one more in the direction away from zero.
BigInteger divide_away_from_zero(const BigInteger& number, std::int64_t digits) {
  BigInteger quotient;
  BigInteger remainder;
  boost::multiprecision::divide_qr(number, power_of_ten(digits), quotient, remainder);
  return quotient + sign_of(remainder);
}

/// Above this many digits before the point a number is as good as infinite for cutting.
constexpr std::int64_t kManyDigits = 60;
/// Amounts further apart than this are not added digit by digit.
constexpr std::int64_t kMaxSpread = 100'000;

/// The amount in units of 10^-digits, rounded away from zero, but of at most kManyDigits + digits
/// digits: a larger one is cut to 10^(kManyDigits + digits).
BigInteger in_units(const Quantity::Big& amount, std::int64_t digits) {
  if (amount.unscaled.is_zero()) {
    return 0;  // Its exponent may be anything.
  }
  const std::int64_t magnitude = amount.magnitude();
  if (magnitude > kManyDigits) {
    return amount.unscaled.sign() * power_of_ten(kManyDigits + digits);
  }
  if (magnitude <= -digits) {
    return amount.unscaled.sign();
  }
  const std::int64_t shift = amount.exponent + digits;
  return shift >= 0 ? BigInteger(amount.unscaled * power_of_ten(shift))
                    : divide_away_from_zero(amount.unscaled, -shift);
}

/// The unscaled number that goes with `exponent`, which must not be above the amount's own.
BigInteger aligned(const Quantity::Big& amount, std::int64_t exponent) {
  return amount.unscaled * power_of_ten(amount.exponent - exponent);
}

bool fits_int64(const BigInteger& number) {
  return number >= Int64Limits::min() && number <= Int64Limits::max();
}

std::int64_t cut_to_int64(const BigInteger& number) {
  if (number > Int64Limits::max()) {
    return Int64Limits::max();
  }
  if (number < Int64Limits::min()) {
    return Int64Limits::min();
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace

BigInteger power_of_ten(std::int64_t exponent) {
  return boost::multiprecision::pow(BigInteger(10), static_cast<unsigned>(exponent));
}

std::int64_t Quantity::Big::magnitude() const {
  if (unscaled.is_zero()) {
    return 0;
  }
  return static_cast<std::int64_t>(BigInteger(abs(unscaled)).str().size()) + exponent;
}

std::string_view to_string(QuantityFormat format) {
  switch (format) {
    case QuantityFormat::kDecimalExponent:
      return "DecimalExponent";
    case QuantityFormat::kDecimalSI:
      return "DecimalSI";
    case QuantityFormat::kBinarySI:
      return "BinarySI";
  }
  return "";
}

Quantity Quantity::of_milli(std::int64_t milli, QuantityFormat format) {
  Quantity quantity(milli, format);
  quantity.exponent_ = -3;
  return quantity;
}

Quantity::Big Quantity::unscaled() const {
  return big_ ? *big_ : Big{BigInteger(unscaled_), exponent_};
}

void Quantity::assign(const Big& amount) {
  text_.clear();
  if (fits_int64(amount.unscaled)) {
    unscaled_ = static_cast<std::int64_t>(amount.unscaled);
    exponent_ = amount.exponent;
    big_.reset();
    return;
  }
  unscaled_ = 0;
  exponent_ = 0;
  big_ = std::make_shared<const Big>(amount);
  arbitrary_places_ = arbitrary_places_.value_or(-amount.exponent);
}

int Quantity::sign() const {
  if (big_) {
    return sign_of(big_->unscaled);
  }
  return (unscaled_ > 0) - (unscaled_ < 0);
}

std::int64_t Quantity::value() const {
  if (!big_ && exponent_ == 0) {
    return unscaled_;
  }
  return cut_to_int64(in_units(unscaled(), 0));
}

std::int64_t Quantity::milli_value() const {
  return cut_to_int64(in_units(unscaled(), 3));
}

std::optional<Wide> Quantity::nanos() const {
  if (!big_ && exponent_ == 0) {
    return Wide{unscaled_} * 1'000'000'000;
  }
  const Big amount = unscaled();
  const BigInteger nanos = in_units(amount, 9);
  if (abs(nanos) >= kMaxNanos) {
    return std::nullopt;
  }
  Big back;
  back.unscaled = nanos;
  back.exponent = -9;
  Quantity rounded;
  rounded.assign(back);
  return rounded == *this ? std::optional(static_cast<Wide>(nanos)) : std::nullopt;
}

Wide Quantity::ceiling() const {
  if (!big_ && exponent_ == 0) {
    return Wide{unscaled_};
  }
  const Big amount = unscaled();
  BigInteger whole = in_units(amount, 0);
  // Away from zero is up for a positive amount; a negative one with a fraction went one too low.
  if (whole.sign() < 0) {
    Quantity rounded;
    rounded.assign({whole, 0});
    if (rounded < *this && amount.magnitude() <= kManyDigits) {
      whole += 1;
    }
  }
  if (whole > kMaxCeiling) {
    whole = kMaxCeiling;
  } else if (whole < -kMaxCeiling) {
    whole = -kMaxCeiling;
  }
  return static_cast<Wide>(whole);
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (sign() == 0) {
    format_ = other.format_;
  }
  const std::int64_t most_places = std::max(places(), other.places());
  if (arbitrary_places_ || other.arbitrary_places_) {
    arbitrary_places_ = most_places;
  }
  std::int64_t sum = 0;
  if (!big_ && !other.big_ && exponent_ == other.exponent_ &&
      !__builtin_add_overflow(unscaled_, other.unscaled_, &sum)) {
    unscaled_ = sum;
    text_.clear();
    return *this;
  }
  const Big a = unscaled();
  const Big b = other.unscaled();
  if (a.unscaled.is_zero() || b.unscaled.is_zero() ||
      std::abs(a.magnitude() - b.magnitude()) > kMaxSpread) {
    const bool first =
        b.unscaled.is_zero() || (!a.unscaled.is_zero() && a.magnitude() > b.magnitude());
    assign(first ? a : b);
    return *this;
  }
  const std::int64_t exponent = std::min(a.exponent, b.exponent);
  const BigInteger left = aligned(a, exponent);
  const BigInteger right = aligned(b, exponent);
  const BigInteger whole = left + right;
  if (!fits_int64(left) || !fits_int64(right) || !fits_int64(whole)) {
    arbitrary_places_ = most_places;
  }
  assign({whole, exponent});
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  if (sign() == 0) {
    format_ = other.format_;
  }
  Quantity negated = other;
  const Big amount = other.unscaled();
  negated.assign({BigInteger(-amount.unscaled), amount.exponent});
  // The sum must not take the format of the right side a second time: it is that of `other`
  // already.
  return *this += negated;
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (!big_ && !other.big_ && exponent_ == other.exponent_) {
    return unscaled_ <=> other.unscaled_;
  }
  const Big a = unscaled();
  const Big b = other.unscaled();
  if (sign() != other.sign() || sign() == 0) {
    return sign() <=> other.sign();
  }
  if (a.magnitude() != b.magnitude()) {
    const std::strong_ordering order = a.magnitude() <=> b.magnitude();
    return sign() > 0 ? order : 0 <=> order;
  }
  const std::int64_t exponent = std::min(a.exponent, b.exponent);
  return aligned(a, exponent).compare(aligned(b, exponent)) <=> 0;
}

}  // namespace evictd::eviction
