// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace evictd::web {

/// The value at the path `keys`, each a member of the object before it; null if there is none.
/// evictd's answers are read this way because an older or newer evictd may lack a member.
[[nodiscard]] const nlohmann::ordered_json& at(const nlohmann::ordered_json& object,
                                               std::initializer_list<const char*> keys);

/// The number at the path; nullopt if there is none. A boolean counts as 0 or 1.
[[nodiscard]] std::optional<double> number_at(const nlohmann::ordered_json& object,
                                              std::initializer_list<const char*> keys);

/// The text at the path; "" if there is none.
[[nodiscard]] std::string text_at(const nlohmann::ordered_json& object,
                                  std::initializer_list<const char*> keys);

}  // namespace evictd::web
