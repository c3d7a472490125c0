// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>

namespace evictd::daemon {

/// Keeps a thread off one CPU for a while. A thread that spins for a task on the task's own CPU
/// waits in vain, because the task cannot run. All calls come from that thread.
class CpuAvoidance {
 public:
  CpuAvoidance() = default;
  CpuAvoidance(const CpuAvoidance&) = delete;
  CpuAvoidance& operator=(const CpuAvoidance&) = delete;
  ~CpuAvoidance() { end(); }

  /// Sets the CPU of the awaited task, for the next begin().
  void expect_on(std::uint32_t cpu) { cpu_ = cpu; }
  /// Moves the thread if it is on that CPU and may run elsewhere; otherwise does nothing.
  void begin();
  /// Restores the thread's affinity. The kernel may move the thread, which takes tens of
  /// microseconds: call it when nothing urgent is left to do.
  void end();

  [[nodiscard]] bool moved() const { return moved_; }

 private:
  cpu_set_t before_{};
  std::uint32_t cpu_ = 0;
  bool moved_ = false;
};

}  // namespace evictd::daemon
