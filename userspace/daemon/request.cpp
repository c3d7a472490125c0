// SPDX-License-Identifier: Apache-2.0
#include "daemon/request.h"

#include <nlohmann/json.hpp>

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// A request is an object of numbers and texts; one level more is left for what is to come.
constexpr int kDeepest = 2;

bool nests_too_deep(std::string_view line) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char here = line[i];
    if (in_text) {
      // What is escaped ends no text.
      i += here == '\\' ? 1 : 0;
      in_text = here != '"';
    } else if (here == '"') {
      in_text = true;
    } else if (here == '{' || here == '[') {
      if (++depth > kDeepest) {
        return true;
      }
    } else if (here == '}' || here == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Json parse_request(std::string_view line) {
  if (nests_too_deep(line)) {
    return Json(Json::value_t::discarded);
  }
  return Json::parse(line, nullptr, /*allow_exceptions=*/false);
}

}  // namespace evictd::daemon
