// SPDX-License-Identifier: Apache-2.0
// Whether everything still does what it should: the hot thread, the kernel side, the manifests.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/housekeeping.h"
#include "daemon/shared/node_memory.h"
#include "daemon/shared/realtime.h"

namespace evictd::daemon {

void Housekeeping::check_timer(MonoTime now) {
  if (options_.probe == nullptr) {
    return;
  }
  const std::optional<SetPolling> change = timer_watch_.take(options_.probe->timer_stalled(now));
  if (!change) {
    return;
  }
  const bool stalled = change->polling;
  journal_degraded("kernel_timer", stalled,
                   stalled ? "the kernel side's timer stands still: polling" : "");
  if (stalled) {
    options_.log->warn("the kernel side's timer stands still, continuing without it: polling");
  } else {
    options_.log->info("the kernel side's timer runs again");
  }
  send(*change);
}

void Housekeeping::watch_priority() {
  HotPriority* const priority = options_.priority;
  priority_watch_.emplace(PriorityWatch::Means{
      .in_force = [priority] { return priority->ask(); },
      .overruns = realtime_overruns,
      .run = [priority] { return priority->run(); },
      .give_back = [priority] { return priority->give_back(); },
  });
}

void Housekeeping::check_priority(MonoTime now) {
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
  journal_degraded("realtime", !change->in_force, change->in_force ? "" : change->text);
}

/// The capacity of a page of swap changes with the pages stored there.
void Housekeeping::check_reserve_terms() {
  const Result<sys::ReserveTerms> terms = sys::read_reserve_terms(*options_.root);
  const std::string problem = terms ? std::string() : terms.error().message();
  if (std::exchange(guard_.problem, problem) != problem && !terms) {
    options_.log->warn("cannot read the inputs of the OOM guard: " + problem +
                       ", continuing with the last known values");
  }
  if (terms && guard_.terms != *terms) {
    guard_.terms = *terms;
    options_.guard_terms->put(*terms);
    if (options_.probe != nullptr) {
      const bool known = options_.probe->knows_reserve();
      options_.probe->set_guard(guard_terms(*terms));
      if (known != options_.probe->knows_reserve() && capacities_ != Capacities{}) {
        set_watch_points(capacities_);
      }
    }
  }
  if (guard_.terms && options_.probe != nullptr) {
    report_guard_watcher();
  }
}

/// Reports whether the kernel side watches for the guard.
void Housekeeping::report_guard_watcher() {
  const bool alone =
      config_->settings().hard_eviction.oom_guard && !options_.probe->knows_reserve();
  if (std::exchange(guard_.unwatched, alone) == alone) {
    return;
  }
  const std::string text =
      alone ? "the kernel side does not know how much the kernel can still give: the OOM guard has "
              "passes and polling alone"
            : "the kernel side reports to the OOM guard again";
  journal_degraded("oom_guard", alone, text);
  alone ? options_.log->warn(text) : options_.log->info(text);
}

void Housekeeping::check_filesystems(MonoTime now) {
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

void Housekeeping::log_problems() {
  problem_log_.log_changes(options_.registry->problems());
}

void Housekeeping::follow_changes() {
  options_.registry->queue_changes();
  send_updates(options_.registry->apply());
  log_problems();
}

void Housekeeping::follow_pod_root() {
  if (!options_.registry->follow_pod_root()) {
    return;
  }
  const cluster::CgroupTree& tree = options_.registry->tree();
  const bool is_there = !tree.pod_root().empty();
  keeper_->set_pod_root(tree.pod_root(), tree.pod_root_id());
  row_keeper_->follow_pod_root();
  log_problems();
  if (is_there) {
    options_.log->info("the cgroup of all pods is there", {{"pod_root", tree.pod_root()}});
  }
  journal_degraded("pod_root", !is_there, is_there ? "" : "the cgroup of all pods is not there");
}

void Housekeeping::report_brake(const PassCopy& copy) {
  const eviction::Decision& decision = copy.decision;
  const eviction::Reason reason =
      eviction::is_brake(decision.reason) ? decision.reason : eviction::Reason::kNone;
  if (reason == brake_) {
    return;
  }
  brake_ = reason;
  const eviction::ThresholdTable& thresholds = rules_.of(copy.config_generation).thresholds;
  if (reason == eviction::Reason::kNone) {
    options_.log->info("no brake holds evictions back any more");
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

void Housekeeping::report_signals(const PassCopy& copy) {
  const PassWatch::Seen seen = pass_watch_.take_signal_changes(
      rules_.of(copy.config_generation).thresholds, copy.observations);
  for (const eviction::Signal signal : seen.lost) {
    const bool of_pod_root =
        signal == eviction::Signal::kAllocatableMemoryAvailable ||
        (signal == eviction::Signal::kPidAvailable &&
         config_->settings().pid_available_source == config::PidAvailableSource::kPodRoot);
    options_.log->warn(fmt::format("no reading of {}{}, continuing without its thresholds",
                                   eviction::to_string(signal),
                                   of_pod_root ? ": the cgroup of all pods does not exist, or has "
                                                 "no such limit"
                                               : ""));
  }
  for (const eviction::Signal signal : seen.back) {
    options_.log->info("the signal is read again",
                       {{"signal", std::string(eviction::to_string(signal))}});
  }
}

void Housekeeping::log_memory_rules() {
  const eviction::MemoryRules& rules = config_->settings().memory;
  if (options_.probe == nullptr || rules.follow_working_set()) {
    return;
  }
  if (memory_watcher(*options_.ladder, rules) == Watcher::kPolling) {
    options_.log->warn(
        "memory.available is not total less working set (memoryAvailableSource, swapAware) and no "
        "hook serves it, continuing without kernel events for it: evictd polls it, more often as "
        "it nears a threshold");
    return;
  }
  options_.log->info(
      "memory.available is not total less working set (memoryAvailableSource, swapAware): the "
      "kernel side watches the values that move with it, and evictd polls it too, more often as it "
      "nears a threshold");
}

void Housekeeping::log_shortage() {
  const std::size_t pods = options_.registry->incomplete();
  if (pods != 0 && !short_of_descriptors_) {
    options_.log->warn("too few descriptors for all pods: limit " +
                       std::to_string(options_.descriptor_limit) + ", pods with fewer files kept " +
                       std::to_string(pods) +
                       ", continuing without kept files for them: evicting one takes longer, and "
                       "without kernel events its usage may not be known (see LimitNOFILE)");
  } else if (pods == 0 && short_of_descriptors_) {
    options_.log->info("enough descriptors for all pods again");
  }
  if (short_of_descriptors_ != (pods != 0)) {
    journal_degraded("descriptors", pods != 0,
                     pods != 0 ? "too few descriptors for all pods: " + std::to_string(pods) : "");
  }
  short_of_descriptors_ = pods != 0;
}

}  // namespace evictd::daemon
