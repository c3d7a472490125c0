// SPDX-License-Identifier: Apache-2.0
#include "cli/refusal.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace evictd::cli {

std::string refusal_in(std::string_view answer) {
  // A refusal has only this member, and no other answer begins with it.
  if (!answer.starts_with(R"({"error":)")) {
    return {};
  }
  const auto parsed = base::parse_json<nlohmann::json>(answer).value_or(nullptr);
  const bool told = parsed.is_object() && parsed.contains("error") && parsed["error"].is_string();
  return told ? "evictd: " + parsed["error"].get<std::string>() : std::string();
}

}  // namespace evictd::cli
