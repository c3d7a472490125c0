// SPDX-License-Identifier: Apache-2.0
#include "config/go_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <system_error>

namespace evictd::config {
namespace {

bool is_in(std::span<const std::string_view> words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

struct Digits {
  int base = 10;
  std::string_view text;
  /// After a prefix, so that a '_' may come first.
  bool has_prefix = false;
};

Digits digits_of(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') {
    return {10, text};
  }
  switch (text[1]) {
    case 'x':
    case 'X':
      return {16, text.substr(2), true};
    case 'b':
    case 'B':
      return {2, text.substr(2), true};
    case 'o':
    case 'O':
      return {8, text.substr(2), true};
    default:
      return {8, text.substr(1), true};
  }
}

/// Whether every '_' stands between two digits; a prefix counts as a digit.
bool has_sound_underscores(const Digits& digits) {
  bool after_digit = digits.has_prefix;
  for (const char c : digits.text) {
    if (c == '_' && !after_digit) {
      return false;
    }
    after_digit = c != '_';
  }
  return after_digit;
}

}  // namespace

std::optional<bool> yaml_truth(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kYes = {
      "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
  static constexpr std::array<std::string_view, 11> kNo = {
      "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
  if (is_in(kYes, text)) {
    return true;
  }
  return is_in(kNo, text) ? std::optional(false) : std::nullopt;
}

std::optional<bool> flag_truth(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kYes = {"1", "t", "T", "true", "TRUE", "True"};
  static constexpr std::array<std::string_view, 6> kNo = {"0", "f", "F", "false", "FALSE", "False"};
  if (is_in(kYes, text)) {
    return true;
  }
  return is_in(kNo, text) ? std::optional(false) : std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const Digits digits = digits_of(text);
  if (!has_sound_underscores(digits)) {
    return std::nullopt;
  }
  std::string plain(digits.text);
  std::erase(plain, '_');
  std::uint64_t magnitude = 0;
  const char* const end = plain.data() + plain.size();
  const auto [stop, error] = std::from_chars(plain.data(), end, magnitude, digits.base);
  if (plain.empty() || stop != end || error != std::errc()) {
    return std::nullopt;
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (magnitude > kMax + (negative ? 1 : 0)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

std::optional<double> yaml_float(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  // Words such as "inf" are not numbers here.
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    return std::nullopt;
  }
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || error != std::errc()) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> whole_yaml_float(std::string_view text) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const std::optional<double> number = yaml_float(text);
  if (!number || std::trunc(*number) != *number || *number < -kTwoTo63 || *number >= kTwoTo63) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

}  // namespace evictd::config
