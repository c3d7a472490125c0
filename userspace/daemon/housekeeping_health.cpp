// SPDX-License-Identifier: Apache-2.0
// Whether everything still does what it should: the hot thread, the kernel side, the manifests.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/housekeeping.h"

namespace evictd::daemon {

void Housekeeping::keep_alive(MonoTime now) {
  const std::optional<Duration> interval = service_.watchdog_interval();
  if (!interval || !config_->settings().watchdog || now < next_alive_) {
    return;
  }
  // The hot thread answers a wake-up within microseconds; one that did not since the last time
  // hangs, and then it is right that the service manager ends us.
  const std::uint64_t heartbeat = options_.hot_counters->heartbeat.load();
  if (heartbeat != last_heartbeat_ || next_alive_ == MonoTime{}) {
    service_.alive();
  }
  last_heartbeat_ = heartbeat;
  next_alive_ = now + *interval;
  options_.to_hot->wake_up.signal();
}

void Housekeeping::check_timer(MonoTime now) {
  if (options_.probe == nullptr) {
    return;
  }
  const bool stalled = options_.probe->timer_stalled(now);
  if (stalled == timer_stalled_) {
    return;
  }
  timer_stalled_ = stalled;
  note_degraded("kernel_timer", stalled,
                stalled ? "the kernel side's timer stands still: polling" : "");
  if (stalled) {
    options_.log->warn("the kernel side's timer stands still, continuing without it: polling");
  } else {
    options_.log->info("the kernel side's timer runs again");
  }
  send(SetPolling{stalled});
}

void Housekeeping::check_filesystems(MonoTime now) {
  for (const disk::FilesystemReport& report : options_.filesystems->report(now)) {
    const std::string& mount = report.place.mount_point;
    const bool silent = report.stale || !report.sampler.error.empty();
    if (silent && silent_filesystems_.insert(mount).second) {
      options_.log->warn(
          "no reading of the filesystem at " + mount + ": " +
          (report.sampler.error.empty() ? "statfs does not answer" : report.sampler.error) +
          ", continuing without its signals");
    } else if (!silent && silent_filesystems_.erase(mount) != 0) {
      options_.log->info("the filesystem answers again", {{"mount_point", mount}});
    }
  }
}

void Housekeeping::cross_check(MonoTime now) {
  if (!cross_checker_) {
    return;
  }
  const std::vector<std::string> lines = cross_checker_->check(*options_.registry, now);
  for (const std::string& line : lines) {
    options_.log->warn("kernel side and files disagree: " + line +
                       ", continuing without its last state after a resync");
  }
  if (!lines.empty()) {
    note_degraded("cross_check", true, lines.front());
    send(Resync{});
  }
}

void Housekeeping::log_problems() {
  std::vector<std::string> problems;
  for (const Error& problem : options_.registry->problems()) {
    problems.push_back(problem.message());
    const std::string& text = problems.back();
    if (std::find(logged_problems_.begin(), logged_problems_.end(), text) ==
        logged_problems_.end()) {
      options_.log->warn(text + ", continuing without it");
    }
  }
  logged_problems_ = std::move(problems);
}

void Housekeeping::note_brakes(const PassCopy& copy) {
  const eviction::Decision& decision = copy.decision;
  const eviction::Reason reason =
      eviction::is_brake(decision.reason) ? decision.reason : eviction::Reason::kNone;
  if (reason == brake_) {
    return;
  }
  brake_ = reason;
  const eviction::ThresholdTable& thresholds = rules_.of(copy.config_generation).thresholds;
  if (reason == eviction::Reason::kNone) {
    options_.log->info("no brake is on any more");
    return;
  }
  std::string threshold = "local storage limits are exceeded";
  if (decision.threshold) {
    threshold = eviction::to_string(thresholds[*decision.threshold].signal);
    threshold += decision.met.has(*decision.threshold) ? " is short" : " is watched";
  }
  options_.log->warn(fmt::format("{} and {}, continuing without an eviction for it", threshold,
                                 eviction::describe(reason)));
}

void Housekeeping::note_seen(const PassCopy& copy) {
  const PassWatch::Seen seen =
      pass_watch_.take_seen(rules_.of(copy.config_generation).thresholds, copy.observations);
  for (const eviction::Signal signal : seen.lost) {
    const bool of_pod_root =
        signal == eviction::Signal::kAllocatableMemoryAvailable ||
        (signal == eviction::Signal::kPidAvailable &&
         config_->settings().pid_available_source == config::PidAvailableSource::kPodRoot);
    options_.log->warn(fmt::format("no reading of {}{}, continuing without its thresholds",
                                   eviction::to_string(signal),
                                   of_pod_root ? ": the cgroup of all pods is not there, or has no "
                                                 "limit of it"
                                               : ""));
  }
  for (const eviction::Signal signal : seen.back) {
    options_.log->info("the signal is read again",
                       {{"signal", std::string(eviction::to_string(signal))}});
  }
}

void Housekeeping::log_memory_rules() {
  if (options_.probe != nullptr && !config_->settings().memory.follow_working_set()) {
    options_.log->warn(
        "memory.available is not total less working set (memoryAvailableSource, swapAware), "
        "continuing without kernel events for it: it is polled, the sooner the nearer it is");
  }
}

void Housekeeping::log_shortage() {
  const std::size_t pods = options_.registry->incomplete();
  if (pods != 0 && !short_of_descriptors_) {
    options_.log->warn("too few descriptors for all pods: limit " +
                       std::to_string(options_.descriptor_limit) + ", pods that keep less " +
                       std::to_string(pods) +
                       ", continuing without kept files for them: evicting one takes longer, and "
                       "without kernel events its usage may not be known (see LimitNOFILE)");
  } else if (pods == 0 && short_of_descriptors_) {
    options_.log->info("enough descriptors for all pods again");
  }
  if (short_of_descriptors_ != (pods != 0)) {
    note_degraded("descriptors", pods != 0,
                  pods != 0 ? "too few descriptors for all pods: " + std::to_string(pods) : "");
  }
  short_of_descriptors_ = pods != 0;
}

}  // namespace evictd::daemon
