// SPDX-License-Identifier: Apache-2.0
#include "eviction/go_float.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/control_character.h"

namespace evictd::eviction {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_hex_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'f';
}

std::string hex_digits(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {kHex[byte >> 4U], kHex[byte & 15U]};
}

bool has_hex_prefix(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x';
}

/// Whether each underscore stands between two digits, or between the prefix "0x" and a digit.
bool underscores_allowed(std::string_view text) {
  const bool hex = has_hex_prefix(text);
  char before = hex ? '0' : '!';
  for (const char c : text.substr(hex ? 2 : 0)) {
    if (is_digit(c) || (hex && is_hex_letter(c))) {
      before = '0';
    } else if (c == '_') {
      if (before != '0') {
        return false;
      }
      before = '_';
    } else if (before == '_') {
      return false;
    } else {
      before = '!';
    }
  }
  return before != '_';
}

/// Checks the syntax of a number without sign, underscores and prefix.
bool is_number(std::string_view text, bool hex) {
  std::size_t at = 0;
  std::size_t digits = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at]) || (hex && is_hex_letter(text[at]))) {
      ++digits;
    } else if (text[at] == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits == 0) {
    return false;
  }
  if (at == text.size()) {
    return !hex;  // a hexadecimal number must have an exponent
  }
  if (lower(text[at]) != (hex ? 'p' : 'e')) {
    return false;
  }
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    ++at;
  }
  return at < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit);
}

bool equals_ignoring_case(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return lower(a) == b; });
}

/// A well-formed number as a float; nothing if it is too big for one.
std::optional<float> to_float(const std::string& number, bool hex) {
  const std::chars_format format = hex ? std::chars_format::hex : std::chars_format::general;
  const char* const end = number.data() + number.size();
  float value = 0;
  if (std::from_chars(number.data(), end, value, format).ec == std::errc{}) {
    return value;
  }
  // Out of range is either too big or so small that it is zero; a wider type tells which.
  long double wide = 0;
  if (std::from_chars(number.data(), end, wide, format).ec == std::errc{}) {
    return wide < 1 ? std::optional(static_cast<float>(wide)) : std::nullopt;
  }
  const std::size_t exponent = number.find_first_of(hex ? "pP" : "eE");
  const bool tiny = exponent == std::string::npos || number[exponent + 1] == '-';
  return tiny ? std::optional(0.0F) : std::nullopt;
}

}  // namespace

Result<float> parse_float(std::string_view text) {
  const auto failure = [&](std::string_view why) {
    return fail(Errc::kMalformed,
                "strconv.ParseFloat: parsing " + quoted(text) + ": " + std::string(why));
  };
  if (equals_ignoring_case(text, "nan")) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    rest.remove_prefix(1);
  }
  const float sign = negative ? -1.0F : 1.0F;
  if (equals_ignoring_case(rest, "inf") || equals_ignoring_case(rest, "infinity")) {
    return sign * std::numeric_limits<float>::infinity();
  }
  const bool hex = has_hex_prefix(rest);
  if (!underscores_allowed(rest)) {
    return failure("invalid syntax");
  }
  std::string number(rest.substr(hex ? 2 : 0));
  std::erase(number, '_');
  if (!is_number(number, hex)) {
    return failure("invalid syntax");
  }
  const std::optional<float> value = to_float(number, hex);
  return value ? Result<float>(sign * *value) : Result<float>(failure("value out of range"));
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  constexpr std::string_view kNames = "abfnrtv";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::size_t control = core::control_character_length(text.substr(i));
    if (const std::size_t named = kNamed.find(c); named != std::string_view::npos) {
      out += {'\\', kNames[named]};
    } else if (control == 2) {
      out += "\\u00" + hex_digits(text[++i]);
    } else if (control == 1) {
      out += "\\x" + hex_digits(c);
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace evictd::eviction
