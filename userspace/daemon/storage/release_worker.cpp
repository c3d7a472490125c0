// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/release_worker.h"

#include <deque>

#include "evictd/try.h"

namespace evictd::daemon {

Result<std::unique_ptr<ReleaseWorker>> ReleaseWorker::start() {
  std::unique_ptr<ReleaseWorker> worker(new ReleaseWorker);
  EVICTD_TRY(worker->worker_.start("evictd-release", [&started = *worker] { started.run(); }));
  return worker;
}

void ReleaseWorker::release(const enforce::KillTarget& target) {
  worker_.push({.target = &target});
}

void ReleaseWorker::reclaim(const enforce::KillTarget& target) {
  if (reclaims_left_.load(std::memory_order_relaxed) < kQueue) {
    worker_.push({.target = &target, .reclaims = true});
  }
}

enforce::ReclaimerCounters ReleaseWorker::reclaimed() const {
  return {.reclaims = reclaims_.load(std::memory_order_relaxed),
          .incomplete = incomplete_.load(std::memory_order_relaxed),
          .failed = failed_.load(std::memory_order_relaxed)};
}

void ReleaseWorker::run() {
  enforce::Releaser releaser;
  enforce::Reclaimer reclaimer;
  std::deque<const enforce::KillTarget*> to_reclaim;
  for (;;) {
    const std::optional<Job> job =
        worker_.next(to_reclaim.empty() ? std::nullopt : std::optional(Duration::zero()));
    if (worker_.ending()) {
      return;
    }
    if (!job) {
      if (reclaimer.step(*to_reclaim.front()) == enforce::Reclaimer::Step::kDone) {
        to_reclaim.pop_front();
      }
      reclaims_.store(reclaimer.counters().reclaims, std::memory_order_relaxed);
      incomplete_.store(reclaimer.counters().incomplete, std::memory_order_relaxed);
      failed_.store(reclaimer.counters().failed, std::memory_order_relaxed);
    } else if (job->reclaims) {
      to_reclaim.push_back(job->target);
    } else {
      releaser.release(*job->target);
      released_.store(releaser.counters().released, std::memory_order_relaxed);
      not_released_.store(releaser.counters().failed, std::memory_order_relaxed);
    }
    reclaims_left_.store(to_reclaim.size(), std::memory_order_release);
  }
}

}  // namespace evictd::daemon
