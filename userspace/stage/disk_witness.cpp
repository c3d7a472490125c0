// SPDX-License-Identifier: Apache-2.0
#include "stage/disk_witness.h"

#include <algorithm>
#include <chrono>

#include "base/system_clock.h"
#include "evictd/try.h"

namespace evictd::stage {
namespace {

constexpr std::chrono::microseconds kPause{200};

/// A directory that had tens of thousands of names keeps its blocks after their removal.
constexpr Bytes kDiskSlack = 4_MiB;
constexpr std::int64_t kInodeSlack = 16;

}  // namespace

Result<DiskWitness> watch_disk(const DiskWitnessOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(const Fullness at_start, fullness_of(options.path));
  const auto look = [options, at_start](DiskTestimony& seen, bool hog_is_dead) {
    const Result<Fullness> left = fullness_of(options.path);
    if (!left) {
      return;
    }
    const MonoTime now = base::SystemClock{}.now();
    seen.lowest.available = std::min(seen.lowest.available, left->available);
    seen.lowest.inodes_free = std::min(seen.lowest.inodes_free, left->inodes_free);
    if (!seen.crossing && (left->available < options.threshold.available ||
                           left->inodes_free < options.threshold.inodes_free)) {
      seen.crossing = now;
    }
    if (hog_is_dead && !seen.freed && left->available + kDiskSlack >= at_start.available &&
        left->inodes_free + kInodeSlack >= at_start.inodes_free) {
      seen.freed = now;
    }
  };
  return DiskWitness{kPause, {.lowest = at_start}, look};
}

}  // namespace evictd::stage
