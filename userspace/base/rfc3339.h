// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "evictd/time.h"

namespace evictd::base {

/// "2026-01-31T12:00:00.000123Z": UTC with this many decimals, from 0 to 9. Further ones are cut
/// off.
[[nodiscard]] std::string rfc3339(WallTime moment, int decimals);

}  // namespace evictd::base
