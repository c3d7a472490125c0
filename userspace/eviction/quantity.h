// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::eviction {

/// A 128-bit integer: sums and differences of int64 values never overflow it.
__extension__ using Wide = __int128;

/// The suffix family of a quantity.
enum class QuantityFormat : std::uint8_t {
  kDecimalExponent,  ///< "12e6"
  kDecimalSI,        ///< "12M"
  kBinarySI,         ///< "12Mi"
};

/// The Kubernetes name of a format: "BinarySI".
[[nodiscard]] std::string_view to_string(QuantityFormat format);

/// An exact decimal quantity in the notation of Kubernetes ("1536Mi", "100m", "1e3").
/// Comparisons use the value: "1Gi" == "1024Mi". An int64 times a power of ten is stored in place;
/// other values use arbitrary precision on the heap.
class Quantity {
 public:
  /// Zero.
  Quantity() = default;
  /// The whole number `value`, to be written in `format`.
  explicit Quantity(std::int64_t value, QuantityFormat format)
      : unscaled_(value), format_(format) {}
  /// `milli` thousandths.
  [[nodiscard]] static Quantity of_milli(std::int64_t milli, QuantityFormat format);
  /// Parses the notation of Kubernetes. Keeps a text that looks canonical and writes it back as is.
  /// Rounds values finer than 1e-9 away from zero; clamps binary values above 2^63-1 to that.
  /// Errors: kMalformed with the exact text of Kubernetes; also for more than 1024 characters,
  /// which no resource has.
  [[nodiscard]] static Result<Quantity> parse(std::string_view text);

  /// The value rounded away from zero, clamped to int64.
  [[nodiscard]] std::int64_t value() const;
  /// The value in thousandths, rounded and clamped likewise.
  [[nodiscard]] std::int64_t milli_value() const;
  /// The value times 1e9, exact; nullopt if it has a finer part or its magnitude reaches 1e37.
  [[nodiscard]] std::optional<Wide> nanos() const;
  /// The value rounded up to an integer, clamped to +-2^126.
  [[nodiscard]] Wide ceiling() const;
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;
  [[nodiscard]] QuantityFormat format() const { return format_; }
  /// As Kubernetes writes it: canonical, or the kept text.
  [[nodiscard]] std::string to_string() const;

  /// Sums keep the format of the left side unless it is zero, and drop a kept text. If the values
  /// are more than 100,000 digits apart, the sum is the larger one.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  [[nodiscard]] friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  [[nodiscard]] friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const;
  [[nodiscard]] bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  /// The value in arbitrary precision; defined in quantity_big.h.
  struct Big;
  [[nodiscard]] Big unscaled() const;
  /// Digits after the point that Kubernetes keeps if it holds the value in arbitrary precision,
  /// even if it fits in place here. nullopt if it does not.
  [[nodiscard]] std::optional<std::int64_t> arbitrary_places() const { return arbitrary_places_; }

 private:
  void assign(const Big& amount);
  void assign_rounded(const Big& magnitude, bool negative);
  [[nodiscard]] std::int64_t places() const { return arbitrary_places_.value_or(-exponent_); }

  // The amount is unscaled_ * 10^exponent_, or *big_ * 10^exponent_ if there is one.
  std::int64_t unscaled_ = 0;
  std::shared_ptr<const Big> big_;  // shared because it never changes once made
  std::string text_;                // as it was parsed, if it is to be kept
  std::int64_t exponent_ = 0;
  std::optional<std::int64_t> arbitrary_places_;
  QuantityFormat format_ = QuantityFormat::kDecimalExponent;
};

}  // namespace evictd::eviction
