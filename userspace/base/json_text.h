// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "evictd/result.h"

namespace evictd::base {

/// What one text of JSON may be. The library reads any depth and any number of members, but copies
/// and writes by recursion, and looks a member up by going through them.
struct JsonLimits {
  /// Lists and objects within each other; what evictd writes has eleven levels at most.
  std::size_t depth = 64;
  /// Of one object; the labels of a pod are the largest one that evictd writes.
  std::size_t members = 1024;
};

/// Reads one text of JSON that comes from outside, as nlohmann::json or nlohmann::ordered_json. It
/// is read once, and no further than to the first thing that is wrong.
/// Errors, without a place: kMalformed for what is no JSON; kInvalid for an object that has a key
/// twice, with the key; kExhausted beyond a limit.
template <typename Json>
[[nodiscard]] Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

extern template Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits);
extern template Result<nlohmann::ordered_json> parse_json(std::string_view text,
                                                          const JsonLimits& limits);

}  // namespace evictd::base
