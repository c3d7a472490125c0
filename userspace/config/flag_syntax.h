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

/// Splits "a<1,b<2" with '<' as `separator`. Skips empty parts and drops white space around names
/// and values. A value may contain the separator. Source: component-base's
/// LangleSeparatedMapStringString and MapStringString. Errors: kInvalid; its text is the part that
/// has no separator.
[[nodiscard]] Result<std::vector<FlagPair>> split_pairs(std::string_view text, char separator);

/// Splits one record of comma-separated values. A part may be in double quotes; inside it, ""
/// stands for one quote. Empty text has no parts. Source: pflag's StringSlice. Errors: kInvalid for
/// a misplaced quote.
[[nodiscard]] Result<std::vector<std::string>> split_list(std::string_view text);

}  // namespace evictd::config
