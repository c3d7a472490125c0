// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evictd::bench {

/// Rows of a bench by the words of their titles.
struct Selection {
  /// All of these.
  std::vector<std::string> with;
  /// None of these.
  std::vector<std::string> without;

  /// `title` is words with one blank between them; only whole words count.
  [[nodiscard]] bool wants(std::string_view title) const;
};

}  // namespace evictd::bench
