// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/one_line.h"

namespace evictd::cli {

void complain(std::string_view what) {
  std::cerr << "evictctl: " << base::one_line(what) << '\n';
}

void warn(std::string_view what) {
  complain("warning: " + std::string(what));
}

std::string json_line(const nlohmann::ordered_json& json) {
  return base::one_line_json(
      json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace evictd::cli
