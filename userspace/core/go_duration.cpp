// SPDX-License-Identifier: Apache-2.0
#include "core/go_duration.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "evictd/try.h"

namespace evictd::core {
namespace {

/// -2^63 ns is a valid duration, 2^63 ns is not: magnitudes are kept unsigned up to here.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"\xc2\xb5s", 1'000},  // micro sign, U+00B5
                                      {"\xce\xbcs", 1'000},  // Greek mu, U+03BC
                                      {"ms", 1'000'000},
                                      {"s", 1'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"h", 3'600'000'000'000}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Quotes as Go does here: non-ASCII byte by byte, in hexadecimal.
std::string quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || byte < ' ') {
      quoted += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xfU]};
      continue;
    }
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted + '"';
}

/// The digits before the point, removed from `rest`; nullopt if they exceed the limit.
std::optional<std::uint64_t> take_whole(std::string_view& rest) {
  std::uint64_t whole = 0;
  while (!rest.empty() && is_digit(rest.front())) {
    if (whole > kLimit / 10) {
      return std::nullopt;
    }
    whole = whole * 10 + static_cast<std::uint64_t>(rest.front() - '0');
    if (whole > kLimit) {
      return std::nullopt;
    }
    rest.remove_prefix(1);
  }
  return whole;
}

struct Fraction {
  std::uint64_t digits = 0;
  double scale = 1;
};

/// The digits after the point, removed from `rest`; digits that no longer fit are ignored.
Fraction take_fraction(std::string_view& rest) {
  Fraction fraction;
  bool full = false;
  for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1)) {
    full = full || fraction.digits > (kLimit - 1) / 10;
    if (full) {
      continue;
    }
    const std::uint64_t longer =
        fraction.digits * 10 + static_cast<std::uint64_t>(rest.front() - '0');
    if (longer > kLimit) {
      full = true;
      continue;
    }
    fraction.digits = longer;
    fraction.scale *= 10;
  }
  return fraction;
}

std::string_view take_unit_name(std::string_view& rest) {
  const std::size_t length = rest.find_first_of(".0123456789");
  const std::string_view name = rest.substr(0, length);
  rest.remove_prefix(name.size());
  return name;
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) {
      return &unit;
    }
  }
  return nullptr;
}

/// One number with its unit in nanoseconds; nullopt if it exceeds the limit.
std::optional<std::uint64_t> scaled(std::uint64_t whole, const Fraction& fraction,
                                    const Unit& unit) {
  if (whole > kLimit / unit.nanoseconds) {
    return std::nullopt;
  }
  std::uint64_t amount = whole * unit.nanoseconds;
  if (fraction.digits > 0) {
    amount += static_cast<std::uint64_t>(static_cast<double>(fraction.digits) *
                                         (static_cast<double>(unit.nanoseconds) / fraction.scale));
  }
  return amount > kLimit ? std::nullopt : std::optional(amount);
}

/// Removes one number and its unit from `rest`; `text` is the whole, for errors.
Result<std::uint64_t> take_part(std::string_view& rest, std::string_view text) {
  const Failure invalid = fail(Errc::kMalformed, "time: invalid duration " + quote(text));
  const std::size_t before = rest.size();
  const std::optional<std::uint64_t> whole = take_whole(rest);
  if (!whole) {
    return invalid;
  }
  bool has_digits = rest.size() != before;
  Fraction fraction;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    const std::size_t after_point = rest.size();
    fraction = take_fraction(rest);
    has_digits = has_digits || rest.size() != after_point;
  }
  if (!has_digits) {
    return invalid;
  }
  const std::string_view name = take_unit_name(rest);
  if (name.empty()) {
    return fail(Errc::kMalformed, "time: missing unit in duration " + quote(text));
  }
  const Unit* unit = find_unit(name);
  if (unit == nullptr) {
    return fail(Errc::kMalformed,
                "time: unknown unit " + quote(name) + " in duration " + quote(text));
  }
  const std::optional<std::uint64_t> amount = scaled(*whole, fraction, *unit);
  if (!amount) {
    return invalid;
  }
  return *amount;
}

}  // namespace

Result<Duration> parse_go_duration(std::string_view text) {
  const Failure invalid = fail(Errc::kMalformed, "time: invalid duration " + quote(text));
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return Duration{0};
  }
  if (rest.empty()) {
    return invalid;
  }
  std::uint64_t sum = 0;
  while (!rest.empty()) {
    EVICTD_ASSIGN_OR_RETURN(const std::uint64_t part, take_part(rest, text));
    sum += part;
    if (sum > kLimit) {
      return invalid;
    }
  }
  if (negative) {
    return Duration{static_cast<std::int64_t>(~sum + 1)};
  }
  if (sum == kLimit) {
    return invalid;
  }
  return Duration{static_cast<std::int64_t>(sum)};
}

}  // namespace evictd::core
