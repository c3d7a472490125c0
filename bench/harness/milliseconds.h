// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::bench {

/// Converts to the unit of most results.
[[nodiscard]] inline double milliseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

}  // namespace evictd::bench
