// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/health/priority_watch.h"
#include "daemon/health/service_notifier.h"
#include "daemon/health/timer_watch.h"
#include "daemon/health/watchdog.h"
#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/storage/disk_watch.h"

namespace evictd::daemon {

/// Checks whether the other parts still do what they should, and reports that to the service
/// manager: the kernel side's timer, the hot thread, filesystems, notifications. Thread rule:
/// housekeeping only.
class HealthService {
 public:
  HealthService(ServiceContext& context, RecordsService& records)
      : context_(context), records_(records) {}

  /// Errors: those of a timer.
  [[nodiscard]] Result<> create_watchdog();
  /// nullptr before create_watchdog().
  [[nodiscard]] Watchdog* watchdog() { return watchdog_ ? &*watchdog_ : nullptr; }

  /// Call it once the hot thread runs.
  void start();
  /// Call it once a second.
  void check(MonoTime now);
  /// Checks the paths that the container runtime reports; call it at the polling interval.
  void check_runtime_links();
  /// A pass has set the capacities of the thresholds, which are watched from now on.
  void report_ready(MonoTime now);

  [[nodiscard]] const ServiceNotifier& service() const { return service_; }
  [[nodiscard]] bool timer_stalled() const { return timer_watch_.stalled(); }
  /// How often the hot thread lost its real-time priority.
  [[nodiscard]] std::uint64_t realtime_losses() const { return priority_watch_->losses(); }

 private:
  void check_timer(MonoTime now);
  void check_priority(MonoTime now);
  void check_filesystems(MonoTime now);
  void check_notifications();

  ServiceContext& context_;
  RecordsService& records_;
  ServiceNotifier service_;
  std::optional<Watchdog> watchdog_;
  TimerWatch timer_watch_;
  std::optional<PriorityWatch> priority_watch_;  ///< Created once the hot thread runs.
  LoggedDisks logged_disks_;
  bool ready_ = false;
};

}  // namespace evictd::daemon
