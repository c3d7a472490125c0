// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::kube {

/// Which members of an object are kept, and what of each. A list has the shape of its elements; a
/// value that is no object is kept as it is, so that its reader sees the wrong type.
struct Shape {
  /// Under this name: any member that has no name of its own here.
  static constexpr const char* kAny = "*";

  std::map<std::string, Shape, std::less<>> members{};
};

/// What one text may cost; it comes from a network.
struct ShapeLimits {
  /// Of objects and lists in each other, those that are left out as well. The deepest that a pod
  /// has is what says who set which field, some 20.
  std::size_t depth = 100;
  /// Values that are kept. A pod has some 60.
  std::size_t values = 400'000;
};

/// Reads one text of JSON and keeps what has a place in `shape`: what is left out costs no memory.
/// Errors: kMalformed for what is no JSON; kInvalid for a kept member that is there twice;
/// kExhausted beyond a limit.
[[nodiscard]] Result<nlohmann::json> read_shaped(std::string_view text, const Shape& shape,
                                                 const ShapeLimits& limits = {});

}  // namespace evictd::kube
