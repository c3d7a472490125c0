// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/log.h"
#include "config/settings.h"
#include "daemon/backlog.h"
#include "daemon/health/priority_watch.h"
#include "daemon/health/service_notifier.h"
#include "daemon/health/timer_watch.h"
#include "daemon/health/watchdog.h"
#include "daemon/hot/hot_priority.h"
#include "daemon/notify/notify_worker.h"
#include "daemon/records/records_service.h"
#include "daemon/shared/hot_counters.h"
#include "daemon/storage/disk_watch.h"
#include "disk/filesystems.h"
#include "probe/probe.h"

namespace evictd::daemon {

/// Checks whether the other parts still do what they should, and reports that to the service
/// manager: the kernel side's timer, the hot thread, filesystems, notifications. Thread rule:
/// housekeeping only.
class HealthService {
 public:
  struct Options {
    // Borrowed; probe is nullptr without BPF, notify if notifications are not served.
    base::Log* log = nullptr;
    probe::Probe* probe = nullptr;
    NotifyWorker* notify = nullptr;
    disk::Filesystems* filesystems = nullptr;
    HotPriority* priority = nullptr;
    const HotCounters* hot_counters = nullptr;
    const base::WakeUp* wake_hot = nullptr;
    RecordsService* records = nullptr;
    Backlog* to_hot = nullptr;
  };

  explicit HealthService(const Options& options) : options_(options) {}

  /// Errors: those of a timer.
  [[nodiscard]] Result<> create_watchdog();
  /// nullptr before create_watchdog().
  [[nodiscard]] Watchdog* watchdog() { return watchdog_ ? &*watchdog_ : nullptr; }

  /// Call it once the hot thread runs.
  void start(const config::Settings& settings);
  /// Call it once a second.
  void check(MonoTime now);
  /// Checks the paths that the container runtime reports; call it at the polling interval.
  void check_runtime_links(const config::Settings& settings);
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

  Options options_;
  ServiceNotifier service_;
  std::optional<Watchdog> watchdog_;
  TimerWatch timer_watch_;
  std::optional<PriorityWatch> priority_watch_;  ///< Created once the hot thread runs.
  LoggedDisks logged_disks_;
  bool ready_ = false;
};

}  // namespace evictd::daemon
