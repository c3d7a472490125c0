// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "core/clock.h"

namespace evictd::daemon {

/// Whole milliseconds, for keys that end in _ms.
inline std::int64_t to_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace evictd::daemon
