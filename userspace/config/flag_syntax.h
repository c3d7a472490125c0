// SPDX-License-Identifier: Apache-2.0
// How the values of the kubelet's flags are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"

namespace evictd::config {

struct FlagPair {
  std::string name;
  std::string value;

  bool operator==(const FlagPair&) const = default;
};

/// "a<1,b<2" with '<' as `separator`: empty parts are skipped, white space around names and values
/// is dropped, and a value may have the separator in it.
/// Source: component-base's LangleSeparatedMapStringString and MapStringString.
/// Errors: kInvalid with the part that has no separator as its text.
[[nodiscard]] Result<std::vector<FlagPair>> split_pairs(std::string_view text, char separator);

/// One record of comma-separated values; a part may be in double quotes, which are written twice
/// within. No text is no part. Source: pflag's StringSlice.
/// Errors: kInvalid for a quote where none may be.
[[nodiscard]] Result<std::vector<std::string>> split_list(std::string_view text);

}  // namespace evictd::config
