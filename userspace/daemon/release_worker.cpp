// SPDX-License-Identifier: Apache-2.0
#include "daemon/release_worker.h"

#include <poll.h>

#include "sys/thread_name.h"

namespace evictd::daemon {

ReleaseWorker::ReleaseWorker(base::WakeUp wake_up) : wake_up_(std::move(wake_up)) {}

Result<std::unique_ptr<ReleaseWorker>> ReleaseWorker::start() {
  Result<base::WakeUp> wake_up = base::WakeUp::create();
  if (!wake_up) {
    return Failure(wake_up.error());
  }
  std::unique_ptr<ReleaseWorker> worker(new ReleaseWorker(std::move(*wake_up)));
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
  ask({.target = &target, .reclaim = false});
}

void ReleaseWorker::reclaim(const enforce::KillTarget& target) {
  ask({.target = &target, .reclaim = true});
}

void ReleaseWorker::ask(Item item) {
  if (queue_.push(std::move(item))) {
    ++asked_;
    wake_up_.signal();
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
  while (!stop_.load(std::memory_order_acquire)) {
    pollfd ready{.fd = wake_up_.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, /*timeout=*/-1);
    wake_up_.consume();
    while (const std::optional<Item> item = queue_.pop()) {
      if (item->reclaim) {
        reclaimer.reclaim(*item->target);
      } else {
        releaser.release(*item->target);
      }
      released_.store(releaser.counters().released, std::memory_order_relaxed);
      reclaims_.store(reclaimer.counters().reclaims, std::memory_order_relaxed);
      incomplete_.store(reclaimer.counters().incomplete, std::memory_order_relaxed);
      failed_.store(reclaimer.counters().failed, std::memory_order_relaxed);
      done_.fetch_add(1, std::memory_order_release);
    }
  }
}

}  // namespace evictd::daemon
