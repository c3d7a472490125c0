// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "probe/ladder.h"

namespace evictd::cli {

/// The rows pinned by `evictctl doctor --pin`; a purpose without a pin uses its whole ladder.
struct Pins {
  std::map<probe::Purpose, std::string> purposes;
  /// The row for notifications; empty for none.
  std::string notify;
};

/// Parses texts PURPOSE=ROW; ROW is a name of the attach ladder or "none".
/// Errors: kInvalid, "TEXT: what is wrong; allowed: ...": no "=ROW"; an unknown purpose or row,
/// with the nearest name; a purpose pinned twice.
[[nodiscard]] Result<Pins> parse_pins(const std::vector<std::string>& texts);

}  // namespace evictd::cli
