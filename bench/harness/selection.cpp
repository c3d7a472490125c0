// SPDX-License-Identifier: Apache-2.0
#include "harness/selection.h"

#include <algorithm>

namespace evictd::bench {

bool Selection::wants(std::string_view title) const {
  const std::string padded = " " + std::string{title} + " ";
  const auto has = [&padded](const std::string& word) {
    return padded.find(" " + word + " ") != std::string::npos;
  };
  return std::all_of(with.begin(), with.end(), has) &&
         std::none_of(without.begin(), without.end(), has);
}

}  // namespace evictd::bench
