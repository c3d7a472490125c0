// SPDX-License-Identifier: Apache-2.0
// Members of JSON from another program, whose older and newer versions may lack any of them, or
// from an untrusted source. Each takes the path of a member; a member of another type counts as
// missing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace evictd::base {

/// null if it is missing.
template <typename Json, typename... Keys>
const Json& member_at(const Json& object, Keys... keys) {
  static const Json kNothing;
  const Json* value = &object;
  for (const char* const key : {keys...}) {
    const auto member = value->find(key);
    if (member == value->end()) {
      return kNothing;
    }
    value = &*member;
  }
  return *value;
}

/// Empty if it is missing.
template <typename Json, typename... Keys>
std::string text_at(const Json& object, Keys... keys) {
  const Json& value = member_at(object, keys...);
  return value.is_string() ? value.template get<std::string>() : std::string();
}

/// Counts as missing beyond the range of the type.
template <typename Json, typename... Keys>
std::optional<std::int64_t> integer_at(const Json& object, Keys... keys) {
  const Json& value = member_at(object, keys...);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.template get<std::uint64_t>() > kMost)) {
    return std::nullopt;
  }
  return value.template get<std::int64_t>();
}

/// 0 if it is missing or negative.
template <typename Json, typename... Keys>
std::uint64_t count_at(const Json& object, Keys... keys) {
  const Json& value = member_at(object, keys...);
  return value.is_number_unsigned() ? value.template get<std::uint64_t>() : 0;
}

template <typename Json, typename... Keys>
bool is_true_at(const Json& object, Keys... keys) {
  const Json& value = member_at(object, keys...);
  return value.is_boolean() && value.template get<bool>();
}

/// A boolean counts as 0 or 1.
template <typename Json, typename... Keys>
std::optional<double> number_at(const Json& object, Keys... keys) {
  const Json& value = member_at(object, keys...);
  if (value.is_boolean()) {
    return value.template get<bool>() ? 1.0 : 0.0;
  }
  return value.is_number() ? std::optional(value.template get<double>()) : std::nullopt;
}

/// An empty list if it is missing.
template <typename Json, typename... Keys>
const Json& list_at(const Json& object, Keys... keys) {
  static const Json kEmpty = Json::array();
  const Json& value = member_at(object, keys...);
  return value.is_array() ? value : kEmpty;
}

}  // namespace evictd::base
