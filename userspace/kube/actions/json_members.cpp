// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/json_members.h"

#include <nlohmann/json.hpp>

namespace evictd::kube {

std::string text_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

}  // namespace evictd::kube
