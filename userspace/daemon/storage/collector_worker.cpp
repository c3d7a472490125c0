// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/collector_worker.h"

#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

CollectorWorker::CollectorWorker(base::WakeUp done, base::WakeUp stop)
    : done_(std::move(done)), stop_wake_(std::move(stop)) {}

Result<std::unique_ptr<CollectorWorker>> CollectorWorker::start() {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp done, base::WakeUp::create());
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp stop, base::WakeUp::create());
  std::unique_ptr<CollectorWorker> worker(new CollectorWorker(std::move(done), std::move(stop)));
  worker->thread_ = std::thread([&started = *worker] {
    sys::name_thread("evictd-reclaim");
    started.work();
  });
  return worker;
}

CollectorWorker::~CollectorWorker() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  stop_wake_.signal();
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void CollectorWorker::run(std::uint64_t round, std::vector<CollectorJob> jobs) {
  const std::scoped_lock lock(mutex_);
  wanted_.push_back({.round = round, .jobs = std::move(jobs)});
  changed_.notify_all();
}

std::optional<CollectorsEnd> CollectorWorker::take() {
  const std::scoped_lock lock(mutex_);
  if (ended_.empty()) {
    done_.consume();
    return std::nullopt;
  }
  CollectorsEnd one = std::move(ended_.front());
  ended_.pop_front();
  return one;
}

void CollectorWorker::work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (wanted_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Wanted wanted = std::move(wanted_.front());
    wanted_.pop_front();
    lock.unlock();
    CollectorsEnd ended = run_all(wanted);
    lock.lock();
    ended_.push_back(std::move(ended));
    done_.signal();
  }
}

CollectorsEnd CollectorWorker::run_all(const Wanted& wanted) const {
  const base::SystemClock clock;
  CollectorsEnd ended{.round = wanted.round, .ends = {}};
  for (const CollectorJob& job : wanted.jobs) {
    const MonoTime began_at = clock.now();
    Result<enforce::CommandEnd> end = enforce::run_command(
        {.argv = job.argv, .timeout = job.timeout, .stop_fd = stop_wake_.descriptor()});
    const MonoTime ended_at = clock.now();
    ended.ends.push_back({.collector = job.collector,
                          .end = std::move(end),
                          .took = ended_at - began_at,
                          .ended_at = ended_at});
  }
  return ended;
}

}  // namespace evictd::daemon
