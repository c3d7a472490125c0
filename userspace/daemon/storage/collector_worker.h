// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/timer.h"
#include "daemon/shared/worker.h"
#include "enforce/command.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/reclaim.h"

namespace evictd::daemon {

/// One collector to run.
struct CollectorJob {
  eviction::Collector collector = eviction::Collector::kContainers;
  std::vector<std::string> argv;
  Duration timeout{0};
};
/// The result of one collector.
struct CollectorEnd {
  eviction::Collector collector = eviction::Collector::kContainers;
  Result<enforce::CommandEnd> end;
  Duration took{0};
  MonoTime ended_at{};
};
/// The results of all collectors of one pass.
struct CollectorsEnd {
  std::uint64_t round = 0;
  std::vector<CollectorEnd> ends;
};

/// A thread that runs the commands which free node-level resources, one after the other. Thread
/// rule: created and used by housekeeping.
class CollectorWorker {
 public:
  [[nodiscard]] static Result<std::unique_ptr<CollectorWorker>> start();
  CollectorWorker(const CollectorWorker&) = delete;
  CollectorWorker& operator=(const CollectorWorker&) = delete;
  /// Kills the running command.
  ~CollectorWorker();

  void run(std::uint64_t round, std::vector<CollectorJob> jobs) {
    worker_.push({.round = round, .jobs = std::move(jobs)});
  }
  /// Readable when a result is ready.
  [[nodiscard]] int descriptor() const { return ends_.descriptor(); }
  [[nodiscard]] std::optional<CollectorsEnd> take() { return ends_.take(); }

 private:
  struct Wanted {
    std::uint64_t round = 0;
    std::vector<CollectorJob> jobs;
  };
  CollectorWorker(base::WakeUp done, base::WakeUp stop)
      : stop_(std::move(stop)), ends_(std::move(done)) {}
  void work();
  [[nodiscard]] CollectorsEnd run_all(const Wanted& wanted) const;

  base::WakeUp stop_;
  Answers<CollectorsEnd> ends_;
  Worker<Wanted> worker_;
};

}  // namespace evictd::daemon
