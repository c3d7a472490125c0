// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/timer.h"
#include "daemon/service_notifier.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Tells the service manager's watchdog (sd_notify(3)) that the hot thread still answers, on a
/// timer of its own: WATCHDOG_USEC may be shorter than any period that housekeeping has anyway.
/// A third of WATCHDOG_USEC after each other, so that one which comes late is within the half that
/// systemd advises.
/// Thread rule: housekeeping only.
class Watchdog {
 public:
  /// What it looks after; both borrowed.
  struct Subject {
    /// Counts the wake-ups of the hot thread.
    const std::atomic<std::uint64_t>* heartbeat = nullptr;
    const base::WakeUp* wake_up = nullptr;
  };

  /// Errors: those of a timer. Without a watchdog (ServiceNotifier::watchdog_period()) it never
  /// fires and says nothing.
  [[nodiscard]] static Result<Watchdog> create(Subject subject);

  /// Right after READY: says for the first time that all is well.
  void start(MonoTime now);
  /// When descriptor() is ready: says so again if the hot thread answered since the last time. The
  /// hot thread answers a wake-up within microseconds; one that did not hangs, and then it is right
  /// that the service manager ends us.
  void on_timer(MonoTime now);

  [[nodiscard]] int descriptor() const { return timer_.descriptor(); }
  /// When on_timer() is due; the epoch without a watchdog and before start().
  [[nodiscard]] MonoTime due() const { return due_; }

 private:
  Watchdog(Subject subject, base::Timer timer) : subject_(subject), timer_(std::move(timer)) {}
  void ask_again(MonoTime now, Duration period);

  Subject subject_;
  base::Timer timer_;
  ServiceNotifier service_;
  std::uint64_t last_heartbeat_ = 0;
  MonoTime due_{};
};

}  // namespace evictd::daemon
