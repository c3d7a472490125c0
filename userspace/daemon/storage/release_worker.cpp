// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/release_worker.h"

#include <poll.h>

#include "evictd/try.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

ReleaseWorker::ReleaseWorker(base::WakeUp wake_up) : wake_up_(std::move(wake_up)) {}

Result<std::unique_ptr<ReleaseWorker>> ReleaseWorker::start() {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp wake_up, base::WakeUp::create());
  std::unique_ptr<ReleaseWorker> worker(new ReleaseWorker(std::move(wake_up)));
  worker->thread_ = std::thread([&started = *worker] {
    sys::name_thread("evictd-release");
    started.run();
  });
  return worker;
}

ReleaseWorker::~ReleaseWorker() {
  stop_.store(true, std::memory_order_release);
  wake_up_.signal();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ReleaseWorker::release(const enforce::KillTarget& target) {
  ask(releases_, target);
}

void ReleaseWorker::reclaim(const enforce::KillTarget& target) {
  ask(reclaims_wanted_, target);
}

void ReleaseWorker::ask(Queue& queue, const enforce::KillTarget& target) {
  if (queue.push(&target)) {
    ++asked_;
    wake_up_.signal();
  }
}

enforce::ReclaimerCounters ReleaseWorker::reclaimed() const {
  return {.reclaims = reclaims_.load(std::memory_order_relaxed),
          .incomplete = incomplete_.load(std::memory_order_relaxed),
          .failed = failed_.load(std::memory_order_relaxed)};
}

void ReleaseWorker::release_all() {
  while (!stopped()) {
    const std::optional<const enforce::KillTarget*> target = releases_.pop();
    if (!target) {
      return;
    }
    releaser_.release(**target);
    released_.store(releaser_.counters().released, std::memory_order_relaxed);
    not_released_.store(releaser_.counters().failed, std::memory_order_relaxed);
    count_done();
  }
}

void ReleaseWorker::run() {
  enforce::Reclaimer reclaimer;
  while (!stopped()) {
    pollfd ready{.fd = wake_up_.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, /*timeout=*/-1);
    wake_up_.consume();
    release_all();
    std::optional<const enforce::KillTarget*> at_hand = reclaims_wanted_.pop();
    while (at_hand && !stopped()) {
      const bool done = reclaimer.step(**at_hand) == enforce::Reclaimer::Step::kDone;
      reclaims_.store(reclaimer.counters().reclaims, std::memory_order_relaxed);
      incomplete_.store(reclaimer.counters().incomplete, std::memory_order_relaxed);
      failed_.store(reclaimer.counters().failed, std::memory_order_relaxed);
      if (done) {
        count_done();
        at_hand = reclaims_wanted_.pop();
      }
      release_all();
    }
  }
}

}  // namespace evictd::daemon
