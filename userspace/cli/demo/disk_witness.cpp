// SPDX-License-Identifier: Apache-2.0
#include "demo/disk_witness.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"

namespace evictd::demo {
namespace {

constexpr long kLookEveryNs = 200'000;

/// A directory that had tens of thousands of names keeps its blocks when they are gone.
constexpr Bytes kDiskSlack = 4_MiB;
constexpr std::int64_t kInodeSlack = 16;

}  // namespace

struct DiskWitness::Shared {
  DiskWitnessOptions options;
  stage::Fullness at_start;
  std::atomic<bool> dead = false;
  std::mutex mutex;
  std::condition_variable freed;
  DiskTestimony testimony;

  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      look();
      const timespec pause{0, kLookEveryNs};
      ::nanosleep(&pause, nullptr);
    }
  }

  void look() {
    const bool was_dead = dead.load();
    const Result<stage::Fullness> seen = stage::fullness_of(options.path);
    if (!seen) {
      return;
    }
    const MonoTime now = base::SystemClock{}.now();
    const std::lock_guard lock{mutex};
    testimony.lowest.available = std::min(testimony.lowest.available, seen->available);
    testimony.lowest.inodes_free = std::min(testimony.lowest.inodes_free, seen->inodes_free);
    if (!testimony.crossing && (seen->available < options.threshold.available ||
                                seen->inodes_free < options.threshold.inodes_free)) {
      testimony.crossing = now;
    }
    if (was_dead && !testimony.freed && seen->available + kDiskSlack >= at_start.available &&
        seen->inodes_free + kInodeSlack >= at_start.inodes_free) {
      testimony.freed = now;
      freed.notify_all();
    }
  }
};

DiskWitness::DiskWitness(std::shared_ptr<Shared> shared)
    : shared_(shared),
      thread_([shared = std::move(shared)](const std::stop_token& stop) { shared->watch(stop); }) {}

Result<DiskWitness> DiskWitness::start(const DiskWitnessOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(const stage::Fullness now, stage::fullness_of(options.path));
  auto shared = std::make_shared<Shared>();
  shared->options = options;
  shared->at_start = now;
  shared->testimony.lowest = now;
  return DiskWitness{std::move(shared)};
}

void DiskWitness::hog_is_dead() {
  shared_->dead.store(true);
}

DiskTestimony DiskWitness::finish(Duration patience) {
  std::unique_lock lock{shared_->mutex};
  shared_->freed.wait_for(lock, patience, [this] { return shared_->testimony.freed.has_value(); });
  const DiskTestimony testimony = shared_->testimony;
  lock.unlock();
  thread_.request_stop();
  thread_.join();
  return testimony;
}

}  // namespace evictd::demo
