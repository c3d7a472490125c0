// SPDX-License-Identifier: Apache-2.0
#include "demo/task_growth.h"

#include <algorithm>

namespace evictd::demo {

void add_task_growth(Evidence& evidence, const Testimony& testimony, const StampedForks& stamped) {
  const std::int64_t most = std::max(stamped.most_tasks, testimony.most_tasks);
  evidence.tasks_past = std::max<std::int64_t>(0, most - stamped.threshold);
  if (stamped.forks == 0) {
    return;
  }
  // Each task charges its stack and its page tables; divided by the number of tasks.
  const Bytes charged = testimony.highest - testimony.at_start;
  const double bytes_a_task =
      static_cast<double>(charged.value) / static_cast<double>(stamped.forks);
  evidence.bytes_per_second = evidence.rate * bytes_a_task;
  evidence.overshoot =
      Bytes{static_cast<std::int64_t>(bytes_a_task * static_cast<double>(evidence.tasks_past))};
}

}  // namespace evictd::demo
