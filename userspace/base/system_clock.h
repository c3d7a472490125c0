// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"

namespace evictd::base {

/// The kernel's clocks, read through the vDSO: tens of nanoseconds a call, no allocation.
/// thread_cpu() is a system call.
class SystemClock final : public core::Clock {
 public:
  [[nodiscard]] MonoTime now() const override;
  [[nodiscard]] WallTime wall_now() const override;
  [[nodiscard]] Duration thread_cpu() const override;
};

}  // namespace evictd::base
