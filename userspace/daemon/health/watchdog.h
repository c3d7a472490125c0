// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/timer.h"
#include "daemon/health/service_notifier.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Reports to the service manager's watchdog (sd_notify(3)) that the hot thread still answers, on
/// its own timer: WATCHDOG_USEC may be shorter than any other period of housekeeping. The interval
/// is a third of WATCHDOG_USEC, so that a late report is within the half that systemd advises.
/// Thread rule: housekeeping only.
class Watchdog {
 public:
  /// What it watches; both borrowed.
  struct Subject {
    /// Counts the wake-ups of the hot thread.
    const std::atomic<std::uint64_t>* heartbeat = nullptr;
    const base::WakeUp* wake_up = nullptr;
  };

  /// Errors: those of a timer. Without a watchdog (ServiceNotifier::watchdog_period()) it never
  /// fires and reports nothing.
  [[nodiscard]] static Result<Watchdog> create(Subject subject);

  /// Call it right after READY: sends the first report.
  void start(MonoTime now);
  /// Call it when descriptor() is ready: reports if the hot thread answered since the last time.
  /// The hot thread answers a wake-up within microseconds. One that did not hangs, and the service
  /// manager should then end evictd.
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
