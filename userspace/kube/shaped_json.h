// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::kube {

/// Which members of an object are kept, and which parts of each. A list has the shape of its
/// elements. A value that is no object is kept unchanged, so that its reader sees the wrong type.
struct Shape {
  /// Under this name: the shape of every member that has no name of its own here.
  static constexpr const char* kAny = "*";

  std::map<std::string, Shape, std::less<>> members{};
};

/// Members that are kept whole.
[[nodiscard]] Shape keeping(std::initializer_list<const char*> names);

/// Limits on one text; it comes from the network.
struct ShapeLimits {
  /// Nesting depth of objects and lists, including skipped ones. The deepest part of a pod is its
  /// managedFields, with some 20.
  std::size_t depth = 100;
  /// Number of kept values. A pod has some 60.
  std::size_t values = 400'000;
};

/// Reads one JSON text and keeps what has a place in `shape`; skipped parts cost no memory.
/// Errors: kMalformed if the text is no JSON; kInvalid for a kept member that occurs twice;
/// kExhausted beyond a limit.
[[nodiscard]] Result<nlohmann::json> read_shaped(std::string_view text, const Shape& shape,
                                                 const ShapeLimits& limits = {});

}  // namespace evictd::kube
