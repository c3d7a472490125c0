// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace evictd {

/// A signed number of bytes of memory or disk. A separate type, so that the compiler rejects
/// pages, KiB and counts in its place.
struct Bytes {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes operator+(Bytes other) const { return {value + other.value}; }
  constexpr Bytes operator-(Bytes other) const { return {value - other.value}; }
  constexpr Bytes operator-() const { return {-value}; }
  constexpr Bytes& operator+=(Bytes other) {
    value += other.value;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    value -= other.value;
    return *this;
  }
};

inline namespace literals {
constexpr Bytes operator""_KiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * 1024};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * 1024 * 1024};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * 1024 * 1024 * 1024};
}
}  // namespace literals

}  // namespace evictd
