// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"

namespace evictd::base {

/// The kernel's own clocks, read by vDSO: tens of nanoseconds a call, no allocation.
class SystemClock final : public core::Clock {
 public:
  [[nodiscard]] MonoTime now() const override;
  [[nodiscard]] WallTime wall_now() const override;
};

}  // namespace evictd::base
