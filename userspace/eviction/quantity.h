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

/// A whole number of 128 bits: sums and differences of int64 amounts never overflow it.
__extension__ using Wide = __int128;

/// The family of suffixes in which an amount is written.
enum class QuantityFormat : std::uint8_t {
  kDecimalExponent,  ///< "12e6"
  kDecimalSI,        ///< "12M"
  kBinarySI,         ///< "12Mi"
};

/// The name that Kubernetes has for a format: "BinarySI".
[[nodiscard]] std::string_view to_string(QuantityFormat format);

/// An exact decimal amount in the notation of Kubernetes ("1536Mi", "100m", "1e3").
/// Equality and order are those of the amount: "1Gi" == "1024Mi". An int64 times a power of ten is
/// kept in place; only what does not fit goes through arbitrary precision on the heap.
class Quantity {
 public:
  /// Zero.
  Quantity() = default;
  /// The whole number `value`, to be written in `format`.
  explicit Quantity(std::int64_t value, QuantityFormat format)
      : unscaled_(value), format_(format) {}
  /// `milli` thousandths.
  [[nodiscard]] static Quantity of_milli(std::int64_t milli, QuantityFormat format);
  /// Reads the notation of Kubernetes. A text that looks canonical is kept and written back as is.
  /// Amounts finer than 1e-9 are rounded away from zero, binary ones above 2^63-1 are cut to that.
  /// Errors: kMalformed with the very text of Kubernetes; also for a text longer than 1024
  /// characters, which no resource has.
  [[nodiscard]] static Result<Quantity> parse(std::string_view text);

  /// The amount rounded away from zero; what does not fit is cut to the nearest int64.
  [[nodiscard]] std::int64_t value() const;
  /// The amount in thousandths, rounded and cut likewise.
  [[nodiscard]] std::int64_t milli_value() const;
  /// The amount times 1e9, exactly; nothing if it has a finer part or reaches 1e37 in size.
  [[nodiscard]] std::optional<Wide> nanos() const;
  /// The smallest whole number that is not below the amount, cut to +-2^126.
  [[nodiscard]] Wide ceiling() const;
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;
  [[nodiscard]] QuantityFormat format() const { return format_; }
  /// As Kubernetes writes it: canonical, or the kept text.
  [[nodiscard]] std::string to_string() const;

  /// Sums keep the format of the left side, unless that is zero. They drop a kept text. Of two
  /// amounts more than 100,000 digits apart the sum is the larger one.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  [[nodiscard]] friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  [[nodiscard]] friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const;
  [[nodiscard]] bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  /// The amount in arbitrary precision; defined in quantity_big.h.
  struct Big;
  [[nodiscard]] Big unscaled() const;
  /// How many digits after the point Kubernetes keeps of it, where it holds the amount in arbitrary
  /// precision, though it may fit in place. Nothing where it does not.
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
