// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd::poll {

enum class IntervalMode {
  kFixed,     ///< Always `longest`, as in the kubelet.
  kAdaptive,  ///< Shorter if a threshold could be reached sooner.
};

struct IntervalOptions {
  IntervalMode mode = IntervalMode::kFixed;
  /// Also the period of kFixed; the kubelet's own housekeeping period is the default.
  Duration longest = std::chrono::seconds{10};
  /// 100 ms cost about 1 % of a core at 110 pods.
  Duration shortest = std::chrono::milliseconds{100};
  /// Assumed minimum growth per second: an idle pod may start to grow right after a poll. A service
  /// with real work reaches 256 MiB/s.
  Bytes assumed_rate{std::int64_t{256} << 20};
  /// The same for tasks: a build or a shell script starts 1000 a second. A fork bomb is faster, and
  /// its rate is observed.
  std::int64_t assumed_task_rate = 1000;
};

/// Distance to one memory threshold at the end of a poll.
struct Approach {
  /// Left until the threshold is met; zero or less when it is met.
  Bytes distance;
  /// Growth of usage towards it per second; negative while it falls.
  Bytes rate;
};

/// The same for one threshold of tasks.
struct TaskApproach {
  std::int64_t distance = 0;
  std::int64_t rate = 0;
};

/// Time until the next poll: half of the time that `approach` leaves, within the two bounds. With
/// several thresholds the caller takes the smallest result.
[[nodiscard]] Duration next_interval(const IntervalOptions& options, const Approach& approach);
[[nodiscard]] Duration next_interval(const IntervalOptions& options, const TaskApproach& approach);

}  // namespace evictd::poll
