// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "daemon/shared/worker.h"
#include "enforce/kill_target.h"
#include "enforce/reclaimer.h"
#include "enforce/releaser.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// A thread of ordinary priority that frees the memory of killed pods with process_mrelease, and
/// makes the kernel reclaim what dead pods have left. Both block for seconds on a huge victim;
/// neither the hot thread nor housekeeping may wait for that. At the end only the release in
/// progress is awaited. Thread rule: created and used by housekeeping.
class ReleaseWorker {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ReleaseWorker>> start();

  /// Requests the release of the memory of `target`, which must live until a later idle() returns
  /// true. Does nothing if the queue is full: the kernel still frees the memory, only later.
  void release(const enforce::KillTarget& target);
  /// Requests the reclaim of what is still charged to `target`, which has no process and must live
  /// as long. The reclaim runs in parts, and memory of killed pods is freed between them. Does
  /// nothing if the queue is full: the pod's cgroup is removed sooner or later.
  void reclaim(const enforce::KillTarget& target);
  /// Whether all requests so far are done.
  [[nodiscard]] bool idle() const {
    return worker_.idle() && reclaims_left_.load(std::memory_order_acquire) == 0;
  }
  /// Processes whose memory this thread freed.
  [[nodiscard]] std::uint64_t released() const { return released_.load(std::memory_order_relaxed); }
  /// Processes whose memory the kernel did not let it free.
  [[nodiscard]] std::uint64_t not_released() const {
    return not_released_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] enforce::ReclaimerCounters reclaimed() const;

 private:
  struct Job {
    const enforce::KillTarget* target = nullptr;
    /// Nothing is left of its processes: their memory is not freed, but reclaimed.
    bool reclaims = false;
  };

  ReleaseWorker() = default;
  void run();

  static constexpr std::size_t kQueue = 64;

  /// Reclaims that were taken and are not done.
  std::atomic<std::size_t> reclaims_left_{0};
  std::atomic<std::uint64_t> released_{0};
  std::atomic<std::uint64_t> not_released_{0};
  std::atomic<std::uint64_t> reclaims_{0};
  std::atomic<std::uint64_t> incomplete_{0};
  std::atomic<std::uint64_t> failed_{0};
  Worker<Job> worker_{JobBounds{.jobs = kQueue}};
};

}  // namespace evictd::daemon
