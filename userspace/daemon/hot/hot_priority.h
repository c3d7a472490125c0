// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <ctime>

#include "config/settings.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// The real-time priority of the hot thread, according to the kernel. Thread rule: take() on the
/// hot thread, once; all other calls on any thread after that.
class HotPriority {
 public:
  /// Stores the calling thread as the hot one and requests the priority in `wanted`. Errors: those
  /// of make_thread_realtime(); the thread then runs at ordinary priority.
  [[nodiscard]] Result<> take(const config::RealtimeSettings& wanted);

  /// Asks the kernel whether it is in force. Cost: a system call.
  bool ask();
  /// The last answer of ask() or take().
  [[nodiscard]] const std::atomic<bool>& in_force() const { return in_force_; }
  /// CPU time of the thread; only differences are meaningful.
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
