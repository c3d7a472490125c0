// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>

namespace evictd::daemon {

/// Keeps the calling thread off one CPU while it lives: a thread that waits awake on the CPU of the
/// task that it waits for would wait in vain, as that task could not run.
class CpuAvoidance {
 public:
  /// Moves the thread if it is on `cpu` and may run elsewhere; else nothing happens.
  explicit CpuAvoidance(std::uint32_t cpu);
  CpuAvoidance(const CpuAvoidance&) = delete;
  CpuAvoidance& operator=(const CpuAvoidance&) = delete;
  /// Allows the thread what it was allowed before.
  ~CpuAvoidance();

  [[nodiscard]] bool moved() const { return moved_; }

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

}  // namespace evictd::daemon
