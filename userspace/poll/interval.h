// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd::poll {

enum class IntervalMode {
  kFixed,     ///< Always `longest`, as the kubelet does.
  kAdaptive,  ///< Shorter the sooner a threshold could be reached.
};

struct IntervalOptions {
  IntervalMode mode = IntervalMode::kFixed;
  /// Also the period of kFixed; the kubelet's own housekeeping period is the default.
  Duration longest = std::chrono::seconds{10};
  /// 100 ms cost about 1 % of a core at 110 pods.
  Duration shortest = std::chrono::milliseconds{100};
  /// Growth a second that is reckoned with when less is seen: a pod at rest may start to grow right
  /// after a poll. 256 MiB/s is what a service fills with real work.
  Bytes assumed_rate{std::int64_t{256} << 20};
  /// The same for tasks: 1000 a second is what a build or a shell script starts. A fork bomb is
  /// faster, and that is seen.
  std::int64_t assumed_task_rate = 1000;
};

/// What is known at the end of a poll about one threshold of memory.
struct Approach {
  /// Left until the threshold is met; zero or less when it is met.
  Bytes distance;
  /// Growth of usage towards it per second; negative while it falls.
  Bytes rate;
};

/// The same about one threshold of tasks.
struct TaskApproach {
  std::int64_t distance = 0;
  std::int64_t rate = 0;
};

/// When to poll next: half of the time that `approach` leaves, between the two bounds. With several
/// thresholds the caller takes the smallest answer.
[[nodiscard]] Duration next_interval(const IntervalOptions& options, const Approach& approach);
[[nodiscard]] Duration next_interval(const IntervalOptions& options, const TaskApproach& approach);

}  // namespace evictd::poll
