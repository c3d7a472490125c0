// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "probe/ladder.h"

namespace evictd::cli {

/// The rows that `evictctl doctor --pin` asks for; a purpose that is not there has its ladder.
struct Pins {
  std::map<probe::Purpose, std::string> purposes;
  /// Of notifications; empty for none.
  std::string notify;
};

/// Reads texts PURPOSE=ROW, with names of the attach ladder or "none" for ROW.
/// Errors: kInvalid, "TEXT: what is wrong; allowed: ...": no "=ROW", an unknown purpose or row,
/// each with the nearest one, a purpose that an earlier text has pinned.
[[nodiscard]] Result<Pins> parse_pins(const std::vector<std::string>& texts);

}  // namespace evictd::cli
