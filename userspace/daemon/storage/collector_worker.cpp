// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/collector_worker.h"

#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"

namespace evictd::daemon {

Result<std::unique_ptr<CollectorWorker>> CollectorWorker::start() {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp done, base::WakeUp::create());
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp stop, base::WakeUp::create());
  std::unique_ptr<CollectorWorker> worker(new CollectorWorker(std::move(done), std::move(stop)));
  EVICTD_TRY(worker->worker_.start("evictd-reclaim", [&started = *worker] { started.work(); }));
  return worker;
}

CollectorWorker::~CollectorWorker() {
  worker_.request_end();
  stop_.signal();
}

void CollectorWorker::work() {
  for (auto wanted = worker_.next(); wanted && !worker_.ending(); wanted = worker_.next()) {
    ends_.push(run_all(*wanted));
  }
}

CollectorsEnd CollectorWorker::run_all(const Wanted& wanted) const {
  const base::SystemClock clock;
  CollectorsEnd ended{.round = wanted.round, .ends = {}};
  for (const CollectorJob& job : wanted.jobs) {
    const MonoTime began_at = clock.now();
    Result<enforce::CommandEnd> end = enforce::run_command(
        {.argv = job.argv, .timeout = job.timeout, .stop_fd = stop_.descriptor()});
    const MonoTime ended_at = clock.now();
    ended.ends.push_back({.collector = job.collector,
                          .end = std::move(end),
                          .took = ended_at - began_at,
                          .ended_at = ended_at});
  }
  return ended;
}

}  // namespace evictd::daemon
