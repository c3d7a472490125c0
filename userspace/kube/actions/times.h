// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/rfc3339.h"

namespace evictd::kube {

/// "2026-11-20T22:03:11Z", as the API writes a Time; drops fractions of a second.
[[nodiscard]] inline std::string whole_seconds(WallTime moment) {
  return base::rfc3339(moment, 0);
}

}  // namespace evictd::kube
