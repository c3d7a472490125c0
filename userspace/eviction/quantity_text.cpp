// SPDX-License-Identifier: Apache-2.0
// Reading and writing amounts in the notation of Kubernetes.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "eviction/quantity.h"
#include "eviction/quantity_big.h"

namespace evictd::eviction {
namespace {

constexpr std::string_view kFormatError =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kSuffixError = "unable to parse quantity's suffix";
constexpr std::string_view kNumericError = "unable to parse numeric part of quantity";

constexpr std::size_t kMaxTextLength = 1024;
constexpr std::int64_t kNanoExponent = -9;
/// Digits that certainly fit an int64.
constexpr std::int64_t kSafeDigits = 18;
/// Longer numbers are never written out in full.
constexpr std::int64_t kMaxDigits = 200'000;

/// What a suffix stands for: base^exponent.
struct Suffix {
  std::string_view text;
  std::int32_t base;
  std::int32_t exponent;
  QuantityFormat format;
};

constexpr std::array<Suffix, 16> kSuffixes{{
    {"n", 10, -9, QuantityFormat::kDecimalSI},
    {"u", 10, -6, QuantityFormat::kDecimalSI},
    {"m", 10, -3, QuantityFormat::kDecimalSI},
    {"", 10, 0, QuantityFormat::kDecimalSI},
    {"k", 10, 3, QuantityFormat::kDecimalSI},
    {"M", 10, 6, QuantityFormat::kDecimalSI},
    {"G", 10, 9, QuantityFormat::kDecimalSI},
    {"T", 10, 12, QuantityFormat::kDecimalSI},
    {"P", 10, 15, QuantityFormat::kDecimalSI},
    {"E", 10, 18, QuantityFormat::kDecimalSI},
    {"Ki", 2, 10, QuantityFormat::kBinarySI},
    {"Mi", 2, 20, QuantityFormat::kBinarySI},
    {"Gi", 2, 30, QuantityFormat::kBinarySI},
    {"Ti", 2, 40, QuantityFormat::kBinarySI},
    {"Pi", 2, 50, QuantityFormat::kBinarySI},
    {"Ei", 2, 60, QuantityFormat::kBinarySI},
}};

/// A text taken apart: sign, digits before the point without leading zeros, digits after it,
/// suffix.
struct Parts {
  bool negative = false;
  bool has_digits = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
};

std::size_t skip(std::string_view text, std::size_t from, std::string_view set) {
  const std::size_t end = text.find_first_not_of(set, from);
  return end == std::string_view::npos ? text.size() : end;
}

constexpr std::string_view kDigits = "0123456789";

std::optional<Parts> take_apart(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  if (text[0] == '+' || text[0] == '-') {
    parts.negative = text[0] == '-';
    at = 1;
  }
  at = skip(text, at, "0");
  std::size_t end = skip(text, at, kDigits);
  parts.whole = text.substr(at, end - at);
  if (parts.whole.empty()) {
    parts.whole = "0";
  }
  at = end;
  if (at < text.size() && text[at] == '.') {
    end = skip(text, at + 1, kDigits);
    parts.fraction = text.substr(at + 1, end - at - 1);
    at = end;
  }
  parts.has_digits = text.substr(0, at).find_first_of(kDigits) != std::string_view::npos;
  end = skip(text, at, "eEinumkKMGTP");
  if (end < text.size() && (text[end] == '+' || text[end] == '-')) {
    ++end;
  }
  end = skip(text, end, kDigits);
  parts.suffix = text.substr(at);
  return end == text.size() ? std::optional(parts) : std::nullopt;
}

std::optional<Suffix> suffix_of(std::string_view text) {
  for (const Suffix& known : kSuffixes) {
    if (known.text == text) {
      return known;
    }
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) {
    return std::nullopt;
  }
  std::string_view number = text.substr(1);
  if (number[0] == '+') {
    number.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), exponent);
  // from_chars takes "-", the plus sign was dealt with; a second sign is no number for either.
  if (error != std::errc{} || end != number.data() + number.size()) {
    return std::nullopt;
  }
  // Kubernetes keeps the low 32 bits.
  return Suffix{text, 10, static_cast<std::int32_t>(exponent), QuantityFormat::kDecimalExponent};
}

/// Whether digits * base^exponent can be kept as an int64 times a power of ten without a look at
/// the digits themselves; this also decides which texts are kept.
bool fits_in_place(const Parts& parts, const Suffix& suffix) {
  const auto whole_digits = static_cast<std::int64_t>(parts.whole.size());
  const auto fraction_digits = static_cast<std::int64_t>(parts.fraction.size());
  if (suffix.base == 2) {
    // 2^10 is about 10^3; one digit is given away for the error of that.
    return fraction_digits == 0 && 15 - whole_digits - suffix.exponent * 3 / 10 - 1 >= 0;
  }
  return whole_digits + fraction_digits <= kSafeDigits &&
         suffix.exponent - fraction_digits >= kNanoExponent;
}

bool looks_canonical(const std::string& digits, std::int64_t value, std::int64_t scale,
                     bool binary) {
  if (binary) {
    return (value & 7) != 0;
  }
  return scale % 3 == 0 && !digits.ends_with("000") && digits[0] != '0';
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) {
    return fail(Errc::kMalformed, std::string(kFormatError));
  }
  if (text.size() > kMaxTextLength) {
    return fail(Errc::kMalformed, std::string(kNumericError));
  }
  const std::optional<Parts> parts = take_apart(text);
  if (!parts) {
    return fail(Errc::kMalformed, std::string(kFormatError));
  }
  const std::optional<Suffix> suffix = suffix_of(parts->suffix);
  if (!suffix) {
    return fail(Errc::kMalformed, std::string(kSuffixError));
  }

  const std::string digits = std::string(parts->whole) + std::string(parts->fraction);
  const std::int64_t scale = (suffix->base == 10 ? suffix->exponent : 0) -
                             static_cast<std::int64_t>(parts->fraction.size());
  Quantity quantity;
  quantity.format_ = suffix->format;
  BigInteger amount(0);
  for (const char digit : digits) {
    amount = amount * 10 + (digit - '0');
  }
  if (fits_in_place(*parts, *suffix)) {
    const auto number = static_cast<std::int64_t>(amount);
    quantity.unscaled_ = suffix->base == 2 ? number << suffix->exponent : number;
    quantity.exponent_ = scale;
    if (looks_canonical(digits, number, scale, suffix->base == 2)) {
      quantity.text_ = text;
    }
    if (parts->negative) {
      quantity.unscaled_ = -quantity.unscaled_;
    }
    return quantity;
  }
  // Kubernetes misses the digits only here: ".Mi" is zero to it.
  if (!parts->has_digits) {
    return fail(Errc::kMalformed, std::string(kNumericError));
  }
  // Kubernetes rounds all but zero to nano; of a zero only the places show, in sums.
  quantity.arbitrary_places_ = amount.is_zero() ? std::min(-scale, kSafeDigits) : -kNanoExponent;
  if (suffix->base == 2) {
    amount <<= static_cast<unsigned>(suffix->exponent);
  }
  quantity.assign_rounded({amount, scale}, parts->negative);
  return quantity;
}

void Quantity::assign_rounded(const Big& magnitude, bool negative) {
  Big amount = magnitude;
  if (amount.magnitude() <= kNanoExponent && !amount.unscaled.is_zero()) {
    amount = {BigInteger(1), kNanoExponent};
  } else if (amount.exponent < kNanoExponent && !amount.unscaled.is_zero()) {
    BigInteger remainder;
    BigInteger quotient;
    boost::multiprecision::divide_qr(amount.unscaled, power_of_ten(kNanoExponent - amount.exponent),
                                     quotient, remainder);
    amount = {BigInteger(quotient + remainder.sign()), kNanoExponent};
  }
  assign(amount);
  if (format_ == QuantityFormat::kBinarySI) {
    const Quantity most(std::numeric_limits<std::int64_t>::max(), format_);
    if (*this > most) {
      amount = {BigInteger(most.unscaled_), 0};
      arbitrary_places_ = 0;
      assign(amount);
    }
    if (sign() > 0 && *this < Quantity(1, format_)) {
      format_ = QuantityFormat::kDecimalSI;
    }
  }
  if (negative) {
    amount.unscaled = -amount.unscaled;
    assign(amount);
  }
}

namespace {

/// Divides `number` by `base` as often as that leaves no rest, but at most `most` times; returns
/// how often it did.
std::int32_t strip_factors(BigInteger& number, std::int32_t base, std::int64_t most) {
  std::int32_t count = 0;
  BigInteger quotient;
  BigInteger remainder;
  while (count < most) {
    boost::multiprecision::divide_qr(number, BigInteger(base), quotient, remainder);
    if (!remainder.is_zero()) {
      break;
    }
    number = quotient;
    ++count;
  }
  return count;
}

std::string suffix_text(std::int32_t base, std::int64_t exponent, QuantityFormat format) {
  if (format == QuantityFormat::kDecimalExponent) {
    return exponent == 0 ? std::string() : "e" + std::to_string(exponent);
  }
  for (const Suffix& known : kSuffixes) {
    if (known.base == base && known.exponent == exponent) {
      return std::string(known.text);
    }
  }
  return {};
}

/// The shortest number with an exponent that is a multiple of three.
std::string decimal_text(const Quantity::Big& amount, QuantityFormat format) {
  std::string digits = amount.unscaled.str();
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  std::int64_t exponent = amount.exponent + static_cast<std::int64_t>(digits.size() - kept);
  digits.resize(kept);
  for (; exponent % 3 != 0; --exponent) {
    digits += '0';
  }
  return digits + suffix_text(10, exponent, format);
}

}  // namespace

std::string Quantity::to_string() const {
  if (!text_.empty()) {
    return text_;
  }
  if (sign() == 0) {
    return "0";
  }
  Big amount = unscaled();
  if (format_ != QuantityFormat::kBinarySI) {
    return decimal_text(amount, format_);
  }
  const Quantity kibi(1024, format_);
  const bool small = *this < kibi && Quantity() - *this < kibi;
  if (amount.exponent < 0) {
    amount.exponent += strip_factors(amount.unscaled, 10, -amount.exponent);
  }
  if (small || amount.exponent < 0 || amount.magnitude() > kMaxDigits) {
    return decimal_text(amount, QuantityFormat::kDecimalSI);
  }
  BigInteger whole = amount.unscaled * power_of_ten(amount.exponent);
  // Kubernetes cannot negate the smallest int64 and so finds no factor of 1024 in it.
  if (!arbitrary_places_ && whole == std::numeric_limits<std::int64_t>::min()) {
    return whole.str();
  }
  const std::int32_t count = strip_factors(whole, 1024, kMaxDigits);
  return whole.str() + suffix_text(2, std::int64_t{count} * 10, format_);
}

}  // namespace evictd::eviction
