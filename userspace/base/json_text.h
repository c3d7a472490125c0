// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "evictd/result.h"

namespace evictd::base {

/// Limits of one JSON text. The library parses any depth and any number of members, but it copies
/// and writes by recursion, and finds a member by linear search.
struct JsonLimits {
  /// Nesting of arrays and objects. evictd writes at most eleven levels.
  std::size_t depth = 64;
  /// Members of one object. The largest object that evictd writes is a pod's labels.
  std::size_t members = 1024;
};

/// Parses one JSON text from outside as nlohmann::json or nlohmann::ordered_json. Parses once and
/// stops at the first error.
/// Errors, without a position: kMalformed if the text is not JSON; kInvalid, with the key, if an
/// object has a key twice; kExhausted beyond a limit.
template <typename Json>
[[nodiscard]] Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

extern template Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits);
extern template Result<nlohmann::ordered_json> parse_json(std::string_view text,
                                                          const JsonLimits& limits);

}  // namespace evictd::base
