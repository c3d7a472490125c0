// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/health_service.h"

#include <utility>

#include "daemon/shared/realtime.h"
#include "evictd/try.h"

namespace evictd::daemon {

Result<> HealthService::create_watchdog() {
  EVICTD_ASSIGN_OR_RETURN(Watchdog watchdog,
                          Watchdog::create({.heartbeat = &options_.hot_counters->heartbeat,
                                            .wake_up = options_.wake_hot}));
  watchdog_.emplace(std::move(watchdog));
  return {};
}

void HealthService::start(const config::Settings& settings) {
  logged_disks_.links = runtime_links(settings);
  HotPriority* const priority = options_.priority;
  priority_watch_.emplace(PriorityWatch::Means{
      .in_force = [priority] { return priority->ask(); },
      .overruns = realtime_overruns,
      .run = [priority] { return priority->run(); },
      .give_back = [priority] { return priority->give_back(); },
  });
}

void HealthService::check(MonoTime now) {
  check_timer(now);
  check_filesystems(now);
  check_notifications();
  check_priority(now);
}

void HealthService::report_ready(MonoTime now) {
  if (ready_) {
    return;
  }
  ready_ = service_.ready();
  if (ready_ && watchdog_) {
    watchdog_->start(now);
  }
}

void HealthService::check_timer(MonoTime now) {
  if (options_.probe == nullptr) {
    return;
  }
  const std::optional<SetPolling> change = timer_watch_.take(options_.probe->timer_stalled(now));
  if (!change) {
    return;
  }
  const bool stalled = change->polling;
  options_.records->report_degraded("kernel_timer", stalled,
                                    stalled ? "the kernel side's timer stands still: polling" : "");
  if (stalled) {
    options_.log->warn("the kernel side's timer stands still, continuing without it: polling");
  } else {
    options_.log->info("the kernel side's timer runs again");
  }
  options_.to_hot->send(*change);
}

void HealthService::check_priority(MonoTime now) {
  const std::optional<PriorityWatch::Change> change = priority_watch_->check(now);
  if (!change) {
    return;
  }
  if (change->in_force) {
    options_.log->info(change->text);
  } else {
    options_.log->warn(change->text +
                       ", continuing at ordinary priority until the hot thread was quiet for a "
                       "minute");
  }
  options_.records->report_degraded("realtime", !change->in_force,
                                    change->in_force ? "" : change->text);
}

void HealthService::check_filesystems(MonoTime now) {
  for (const disk::FilesystemReport& report : options_.filesystems->report(now)) {
    const std::string& mount = report.place.mount_point;
    const bool silent = report.stale || !report.sampler.error.empty();
    if (silent && logged_disks_.silent.insert(mount).second) {
      options_.log->warn(
          "no reading of the filesystem at " + mount + ": " +
          (report.sampler.error.empty() ? "statfs does not answer" : report.sampler.error) +
          ", continuing without its signals");
    } else if (!silent && logged_disks_.silent.erase(mount) != 0) {
      options_.log->info("the filesystem answers again", {{"mount_point", mount}});
    }
  }
}

/// Filesystems are found once: a kubelet, too, learns their layout when it starts.
void HealthService::check_runtime_links(const config::Settings& settings) {
  if (const std::string links = runtime_links(settings);
      links != std::exchange(logged_disks_.links, links)) {
    options_.log->warn(
        "the container runtime reports other paths than when evictd started, continuing with the "
        "filesystems found then: restart evictd to use the new ones");
  }
}

void HealthService::check_notifications() {
  if (const auto problem =
          options_.notify == nullptr ? std::nullopt : options_.notify->take_problem()) {
    options_.log->warn(*problem + ", continuing without notifications");
    options_.records->report_degraded("notify", true, *problem);
  }
}

}  // namespace evictd::daemon
