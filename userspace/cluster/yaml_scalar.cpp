// SPDX-License-Identifier: Apache-2.0
#include "cluster/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>

namespace evictd::cluster {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// All of `text` as a number of type T.
template <typename T, typename... Base>
std::optional<T> whole(std::string_view text, Base... base) {
  T value{};
  const char* end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, value, base...);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional<T>(value) : std::nullopt;
}

std::optional<nlohmann::json> number(std::string_view text) {
  if (text.starts_with("0x")) {
    const std::optional<std::int64_t> hex = whole<std::int64_t>(text.substr(2), 16);
    return hex && text.size() > 2 && text[2] != '-' ? std::optional<nlohmann::json>(*hex)
                                                    : std::nullopt;
  }
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) {
    digits.remove_prefix(1);
  }
  const bool begins_like_number =
      !digits.empty() &&
      (is_digit(digits[0]) || (digits[0] == '.' && digits.size() > 1 && is_digit(digits[1])));
  const bool has_leading_zero = digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
  if (!begins_like_number || has_leading_zero) {
    return std::nullopt;
  }
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (std::optional<std::int64_t> integer = whole<std::int64_t>(text)) {
    return *integer < 0 ? nlohmann::json(*integer)
                        : nlohmann::json(static_cast<std::uint64_t>(*integer));
  }
  const std::optional<double> real = whole<double>(text);
  return real && std::isfinite(*real) ? std::optional<nlohmann::json>(*real) : std::nullopt;
}

std::optional<nlohmann::json> boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") {
    return nlohmann::json(true);
  }
  if (text == "false" || text == "False" || text == "FALSE") {
    return nlohmann::json(false);
  }
  return std::nullopt;
}

bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

}  // namespace

std::optional<nlohmann::json> resolve_yaml_scalar(std::string_view tag, const std::string& text) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  if (tag == "!") {
    return nlohmann::json(text);
  }
  if (tag == "?" || tag.empty()) {
    if (is_null(text)) {
      return nlohmann::json(nullptr);
    }
    if (std::optional<nlohmann::json> flag = boolean(text)) {
      return flag;
    }
    return number(text).value_or(nlohmann::json(text));
  }
  if (!tag.starts_with(kCore)) {
    return std::nullopt;
  }
  tag.remove_prefix(kCore.size());
  if (tag == "str") {
    return nlohmann::json(text);
  }
  if (tag == "bool") {
    return boolean(text);
  }
  if (tag == "null" && is_null(text)) {
    return nlohmann::json(nullptr);
  }
  return tag == "int" || tag == "float" ? number(text) : std::nullopt;
}

}  // namespace evictd::cluster
