// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <ctime>

#include "config/settings.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// The real-time priority of the hot thread, as the kernel has it.
/// Thread rule: take() on the hot thread, once; everything else on any thread after that.
class HotPriority {
 public:
  /// Notes the calling thread as the hot one and asks for what `wanted` says.
  /// Errors: those of make_thread_realtime(); it runs at ordinary priority then.
  [[nodiscard]] Result<> take(const config::RealtimeSettings& wanted);

  /// What is in force now. Cost: a system call.
  bool ask();
  /// What ask() or take() found last.
  [[nodiscard]] const std::atomic<bool>& in_force() const { return in_force_; }
  /// CPU time of the thread, of which only differences mean something.
  [[nodiscard]] Duration run() const;
  /// Errors: those of give_realtime().
  [[nodiscard]] Result<> give_back();

 private:
  config::RealtimeSettings wanted_;
  pid_t thread_ = 0;
  clockid_t cpu_clock_{};
  std::atomic<bool> in_force_{false};
};

}  // namespace evictd::daemon
