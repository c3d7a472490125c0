// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evictd::bench {

/// Selects rows of a bench by the words of their titles.
struct Selection {
  /// The title must have all of these.
  std::vector<std::string> with;
  /// The title must have none of these.
  std::vector<std::string> without;

  /// `title` is words with one blank between them; only whole words match.
  [[nodiscard]] bool wants(std::string_view title) const;
};

}  // namespace evictd::bench
