// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/rfc3339.h"

namespace evictd::exporting {

/// "2026-01-31T12:00:00.000123Z": UTC with microseconds, the API's MicroTime format.
[[nodiscard]] inline std::string rfc3339(WallTime moment) {
  return base::rfc3339(moment, 6);
}

}  // namespace evictd::exporting
