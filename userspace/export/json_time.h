// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "evictd/time.h"

namespace evictd::exporting {

/// "2026-01-31T12:00:00.000123Z": UTC with microseconds, the API's MicroTime format.
[[nodiscard]] std::string rfc3339(WallTime moment);

}  // namespace evictd::exporting
