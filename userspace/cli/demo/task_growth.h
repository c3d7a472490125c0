// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "demo/verdict.h"
#include "demo/witness.h"

namespace evictd::demo {

/// What the load itself stamped in the pids scenario.
struct StampedForks {
  /// Tasks of the pod root that are just not past the threshold.
  std::int64_t threshold = 0;
  /// The most tasks of the pod root at the end of a batch.
  std::int64_t most_tasks = 0;
  std::uint64_t forks = 0;
};

/// Adds the most tasks past the threshold, which the load or the witness saw, and in bytes what was
/// charged a task: for those tasks, and for a second at Evidence::rate. Asks for no stamp past the
/// threshold: evictd may kill the hog within the fork that crosses it.
void add_task_growth(Evidence& evidence, const Testimony& testimony, const StampedForks& stamped);

}  // namespace evictd::demo
