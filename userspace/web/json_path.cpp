// SPDX-License-Identifier: Apache-2.0
#include "web/json_path.h"

#include <nlohmann/json.hpp>

namespace evictd::web {

const nlohmann::ordered_json& at(const nlohmann::ordered_json& object,
                                 std::initializer_list<const char*> keys) {
  static const nlohmann::ordered_json kNothing;
  const nlohmann::ordered_json* value = &object;
  for (const char* key : keys) {
    if (!value->is_object()) {
      return kNothing;
    }
    const auto member = value->find(key);
    if (member == value->end()) {
      return kNothing;
    }
    value = &*member;
  }
  return *value;
}

std::optional<double> number_at(const nlohmann::ordered_json& object,
                                std::initializer_list<const char*> keys) {
  const nlohmann::ordered_json& value = at(object, keys);
  if (value.is_boolean()) {
    return value.get<bool>() ? 1.0 : 0.0;
  }
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string text_at(const nlohmann::ordered_json& object, std::initializer_list<const char*> keys) {
  const nlohmann::ordered_json& value = at(object, keys);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace evictd::web
