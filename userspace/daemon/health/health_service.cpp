// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/health_service.h"

#include <utility>

#include "daemon/shared/realtime.h"
#include "evictd/try.h"

namespace evictd::daemon {

Result<> HealthService::create_watchdog() {
  EVICTD_ASSIGN_OR_RETURN(Watchdog watchdog,
                          Watchdog::create({.heartbeat = &context_.hot_counters->heartbeat,
                                            .wake_up = &context_.to_hot->wake_up}));
  watchdog_.emplace(std::move(watchdog));
  return {};
}

void HealthService::start() {
  logged_disks_.links = runtime_links(context_.settings());
  HotPriority* const priority = context_.priority;
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
  if (context_.probe == nullptr) {
    return;
  }
  const std::optional<SetPolling> change = timer_watch_.take(context_.probe->timer_stalled(now));
  if (!change) {
    return;
  }
  const bool stalled = change->polling;
  records_.report_degraded("kernel_timer", stalled,
                           stalled ? "the kernel side's timer stands still: polling" : "");
  if (stalled) {
    context_.log->warn("the kernel side's timer stands still, continuing without it: polling");
  } else {
    context_.log->info("the kernel side's timer runs again");
  }
  context_.backlog.send(*change);
}

void HealthService::check_priority(MonoTime now) {
  const std::optional<PriorityWatch::Change> change = priority_watch_->check(now);
  if (!change) {
    return;
  }
  if (change->in_force) {
    context_.log->info(change->text);
  } else {
    context_.log->warn(change->text +
                       ", continuing at ordinary priority until the hot thread was quiet for a "
                       "minute");
  }
  records_.report_degraded("realtime", !change->in_force, change->in_force ? "" : change->text);
}

void HealthService::check_filesystems(MonoTime now) {
  for (const disk::FilesystemReport& report : context_.filesystems->report(now)) {
    const std::string& mount = report.place.mount_point;
    const bool silent = report.stale || !report.sampler.error.empty();
    if (silent && logged_disks_.silent.insert(mount).second) {
      context_.log->warn(
          "no reading of the filesystem at " + mount + ": " +
          (report.sampler.error.empty() ? "statfs does not answer" : report.sampler.error) +
          ", continuing without its signals");
    } else if (!silent && logged_disks_.silent.erase(mount) != 0) {
      context_.log->info("the filesystem answers again", {{"mount_point", mount}});
    }
  }
}

/// Filesystems are found once: a kubelet, too, learns their layout when it starts.
void HealthService::check_runtime_links() {
  if (const std::string links = runtime_links(context_.settings());
      links != std::exchange(logged_disks_.links, links)) {
    context_.log->warn(
        "the container runtime reports other paths than when evictd started, continuing with the "
        "filesystems found then: restart evictd to use the new ones");
  }
}

void HealthService::check_notifications() {
  if (const auto problem =
          context_.notify == nullptr ? std::nullopt : context_.notify->take_problem()) {
    context_.log->warn(*problem + ", continuing without notifications");
    records_.report_degraded("notify", true, *problem);
  }
}

}  // namespace evictd::daemon
