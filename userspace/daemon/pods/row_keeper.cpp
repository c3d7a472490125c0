// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/row_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace evictd::daemon {

namespace {

/// A controller may never come back, and finding a pod's counters takes 50 us.
constexpr int kMostCallsALook = 16;

}  // namespace

RowKeeper::RowKeeper(Options options) : options_(std::move(options)) {
  if (options_.probe != nullptr) {
    cross_checker_.emplace(*options_.probe);
  }
}

void RowKeeper::find_lost_rows() {
  if (options_.probe == nullptr) {
    return;
  }
  const probe::Counters counters = options_.probe->counters();
  const std::uint64_t emptied = counters.stale_rows + counters.dying_rows;
  const bool is_news = std::exchange(emptied_, emptied) != emptied;
  if (!is_news && (!lacking_ || --calls_left_ > 0)) {
    return;
  }
  const PodRegistry::LostRows lost = options_.registry->queue_lost_rows();
  lacking_ = lost.pod_root || lost.pods != 0;
  calls_a_look_ = is_news ? 1 : std::min(2 * calls_a_look_, kMostCallsALook);
  calls_left_ = calls_a_look_;
  if (lacking_ && renew(lost.pod_root ? Extent::kPodRootToo : Extent::kPods)) {
    options_.send(Resync{});
  }
}

bool RowKeeper::renew(Extent extent) {
  const std::uint64_t before = options_.registry->counters().watched_anew;
  options_.send_updates(options_.registry->apply());
  if (extent == Extent::kPodRootToo) {
    reopen_pod_root();
  }
  const std::uint64_t anew = options_.registry->counters().watched_anew - before;
  if (anew != 0) {
    options_.log->info(
        fmt::format("found new counters of {} cgroups: the ones watched before are no longer "
                    "theirs",
                    anew));
  }
  return anew != 0;
}

void RowKeeper::follow_pod_root() {
  reopen_pod_root();
  lacking_ = true;
  calls_a_look_ = 1;
  calls_left_ = 1;
}

void RowKeeper::reopen_pod_root() {
  if (cross_checker_) {
    cross_checker_->reopen_pod_root();
  }
  pod_root_files_.reset();
  hand_over_pod_root_files();
  options_.watch_thresholds();
  // Capacities of thresholds may differ too.
  options_.send(engine::PassRequested{});
}

void RowKeeper::check(MonoTime now) {
  if (!cross_checker_) {
    find_lost_files();
    return;
  }
  const std::vector<CrossChecker::Disagreement> apart =
      cross_checker_->check(*options_.registry, now);
  Extent extent = Extent::kPods;
  bool node_is_wrong = false;
  for (const CrossChecker::Disagreement& one : apart) {
    options_.log->warn("kernel side and files disagree: " + one.text +
                       ", continuing without its last state after a resync");
    if (!one.slot) {
      node_is_wrong = true;
      continue;
    }
    options_.registry->queue_wrong_row(*one.slot);
    if (one.slot == kPodRootSlot) {
      extent = Extent::kPodRootToo;
    }
  }
  if (node_is_wrong || node_is_lost_) {
    check_nodes();
  }
  if (!apart.empty()) {
    options_.on_disagreement(apart.front().text);
    static_cast<void>(renew(extent));
    options_.send(Resync{});
  }
}

void RowKeeper::check_nodes() {
  const Result<> found = options_.probe->locate_nodes();
  const bool lost = !found || options_.probe->node().usage.value < 0;
  if (std::exchange(node_is_lost_, lost) == lost) {
    return;
  }
  if (lost) {
    options_.log->warn(
        (found ? "not every NUMA node with memory can be read" : found.error().message()) +
        ", continuing without kernel events for memory.available: it is polled");
  } else {
    options_.log->info("every NUMA node with memory is read again");
  }
  // The OOM guard is watched only if the reserve is known.
  options_.watch_thresholds();
  // The hot thread starts or stops reading the node's files with the next pass.
  options_.send(engine::PassRequested{});
}

bool RowKeeper::are_gone(const sys::CgroupFiles& files) {
  CgroupUsage usage;
  return files.read_live(MonoTime{}, buffer_, usage) == sys::ReadState::kGone;
}

bool RowKeeper::lacks_files(const PodRegistry::Listed& listed) const {
  const HotFiles& kept = listed.hot->files;
  // Placed while its controller was away, unless descriptors were short.
  if (kept.usage_fd() < 0 && !listed.complete) {
    return false;
  }
  // Only if there are other files: replacing the pod costs more than this check.
  const Result<sys::CgroupFiles> now = options_.registry->open_files_of(listed.hot->uid);
  return now && !kept.are_same_as(*now);
}

void RowKeeper::find_lost_files() {
  for (const PodRegistry::Listed& listed : options_.registry->list()) {
    if (listed.hot != nullptr && lacks_files(listed)) {
      options_.registry->queue_reopening(listed.hot->uid);
    }
  }
  options_.send_updates(options_.registry->apply());
  if (pod_root_files_ && !are_gone(*pod_root_files_)) {
    return;
  }
  Result<sys::CgroupFiles> files = options_.registry->open_pod_root_files();
  if (!files) {
    return;  // The controller is away: the next check retries.
  }
  // Also the first time: the hot thread's files may have vanished before this class had any.
  pod_root_files_ = std::move(*files);
  hand_over_pod_root_files();
}

void RowKeeper::hand_over_pod_root_files() {
  if (Result<sys::CgroupFiles> files = options_.registry->open_pod_root_files()) {
    options_.send(UsePodRootFiles{
        options_.loans->lend(std::make_unique<sys::CgroupFiles>(std::move(*files)))});
  }
}

}  // namespace evictd::daemon
