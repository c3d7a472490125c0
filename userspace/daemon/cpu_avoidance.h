// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>

namespace evictd::daemon {

/// Keeps a thread off one CPU for a while: a thread that waits awake on the CPU of the task that it
/// waits for would wait in vain, as that task could not run. All calls come from that thread.
class CpuAvoidance {
 public:
  CpuAvoidance() = default;
  CpuAvoidance(const CpuAvoidance&) = delete;
  CpuAvoidance& operator=(const CpuAvoidance&) = delete;
  ~CpuAvoidance() { end(); }

  /// Of the task that makes it necessary; for the next begin().
  void expect_on(std::uint32_t cpu) { cpu_ = cpu; }
  /// Moves the thread if it is on that CPU and may run elsewhere; else nothing happens.
  void begin();
  /// Allows the thread what it was allowed before. It may be moved by this, which takes tens of
  /// microseconds: for when nothing urgent is left to do.
  void end();

  [[nodiscard]] bool moved() const { return moved_; }

 private:
  cpu_set_t before_{};
  std::uint32_t cpu_ = 0;
  bool moved_ = false;
};

}  // namespace evictd::daemon
