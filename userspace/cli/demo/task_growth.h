// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "demo/verdict.h"
#include "demo/witness.h"

namespace evictd::demo {

/// Values that the load itself stamped in the pids scenario.
struct StampedForks {
  /// The most tasks of the pod root that are not past the threshold.
  std::int64_t threshold = 0;
  /// The most tasks of the pod root at the end of a batch.
  std::int64_t most_tasks = 0;
  std::uint64_t forks = 0;
};

/// Adds the most tasks past the threshold that the load or the witness saw. Also adds the memory
/// charged for them, and the memory charged per second at Evidence::rate. Needs no stamp past the
/// threshold: evictd may kill the hog within the fork that crosses it.
void add_task_growth(Evidence& evidence, const Testimony& testimony, const StampedForks& stamped);

}  // namespace evictd::demo
