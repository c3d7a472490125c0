// SPDX-License-Identifier: Apache-2.0
#include "document/scalar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>

#include "core/leading_zero.h"

namespace evictd::document {
namespace {

using WordList = std::span<const std::string_view>;

bool is_in(WordList words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// The words of each notation.
constexpr std::array<std::string_view, 3> kCoreYes = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kCoreNo = {"false", "False", "FALSE"};
constexpr std::array<std::string_view, 8> kOldYes = {"y",   "Y",  "yes", "Yes",
                                                     "YES", "on", "On",  "ON"};
constexpr std::array<std::string_view, 8> kOldNo = {"n",  "N",   "no",  "No",
                                                    "NO", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 3> kFlagYes = {"1", "t", "T"};
constexpr std::array<std::string_view, 3> kFlagNo = {"0", "f", "F"};

/// A boolean of the core schema, or one of more words.
std::optional<bool> truth_of(std::string_view text, WordList yes, WordList no) {
  if (is_in(kCoreYes, text) || is_in(yes, text)) {
    return true;
  }
  return is_in(kCoreNo, text) || is_in(no, text) ? std::optional(false) : std::nullopt;
}

std::optional<bool> core_truth(std::string_view text) {
  return truth_of(text, {}, {});
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

/// All of `text` as an unsigned number.
std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return stop == end && error == std::errc() ? std::optional(number) : std::nullopt;
}

/// A number in a spelling that the core schema and YAML 1.1 read the same way.
std::optional<nlohmann::json> core_number(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  const std::string_view allowed = is_hexadecimal ? "x0123456789abcdefABCDEF" : "0123456789.eE+-";
  if (core::has_leading_zero(text) || text.find_first_not_of(allowed) != std::string_view::npos) {
    return std::nullopt;
  }
  if (const auto number = decimal(text.substr(text.starts_with('+') ? 1 : 0))) {
    return nlohmann::json(*number);
  }
  if (const auto number = whole_number(text)) {
    return nlohmann::json(*number);
  }
  const auto real = is_hexadecimal ? std::nullopt : yaml_float(text);
  return real ? std::optional<nlohmann::json>(*real) : std::nullopt;
}

/// Whether the core schema reads the plain text as a boolean or a number, even as one that does not
/// fit.
bool is_number_or_truth(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kWords = {".inf", "-.inf", "+.inf",
                                                             ".nan", ".NaN",  ".NAN"};
  if (core_truth(text) || is_in(kWords, text)) {
    return true;
  }
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text.starts_with("0x") || text.starts_with("0o")) {
    return text.size() > 2 && std::all_of(text.begin() + 2, text.end(),
                                          [](unsigned char c) { return std::isxdigit(c) != 0; });
  }
  const bool begins_as_number = text.find_first_of("0123456789") != std::string_view::npos &&
                                text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return begins_as_number && end == text.data() + text.size() &&
         (error == std::errc() || error == std::errc::result_out_of_range);
}

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

}  // namespace

std::optional<bool> yaml_truth(std::string_view text) {
  return truth_of(text, kOldYes, kOldNo);
}

std::optional<bool> flag_truth(std::string_view text) {
  return truth_of(text, kFlagYes, kFlagNo);
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

bool is_text(const Node& node) {
  return node.kind == Node::Kind::kScalar && !(node.plain && is_number_or_truth(node.text));
}

bool is_octal_to_yaml_1_1(std::string_view plain) {
  return core::has_leading_zero(plain) &&
         plain.find_first_not_of("0123456789_", 1) == std::string_view::npos;
}

bool obey_tag(std::string_view tag, Node& scalar) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  scalar.plain = tag == "?" || tag.empty();
  if (scalar.plain || tag == "!") {
    return true;
  }
  if (!tag.starts_with(kCore)) {
    return false;
  }
  tag.remove_prefix(kCore.size());
  if (tag == "str") {
    return true;
  }
  if (tag == "null") {
    scalar.kind = Node::Kind::kNull;
    return is_null_word(scalar.text);
  }
  scalar.plain = true;
  if (tag == "bool") {
    return core_truth(scalar.text).has_value();
  }
  return (tag == "int" || tag == "float") && core_number(scalar.text);
}

nlohmann::json json_scalar(const Node& scalar) {
  if (scalar.kind == Node::Kind::kNull) {
    return nullptr;
  }
  if (!scalar.plain) {
    return scalar.text;
  }
  if (const std::optional<bool> truth = core_truth(scalar.text)) {
    return *truth;
  }
  return core_number(scalar.text).value_or(nlohmann::json(scalar.text));
}

}  // namespace evictd::document
