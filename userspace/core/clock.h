// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::core {

/// The one seam through which time is read. Read once per pass, then passed down as `now`.
/// Thread rule: implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// CLOCK_MONOTONIC now.
  [[nodiscard]] virtual MonoTime now() const = 0;
  /// CLOCK_REALTIME now.
  [[nodiscard]] virtual WallTime wall_now() const = 0;
};

}  // namespace evictd::core
