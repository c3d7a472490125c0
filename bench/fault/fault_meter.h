// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Memory that the meter touches and returns again and again: 768 faults a turn.
inline constexpr Bytes kMeterRegion = 3_MiB;

/// A process of a staged pod that measures the cost of a page fault. It touches a region page by
/// page and returns it. The median of many turns excludes interrupted turns.
class FaultMeter {
 public:
  /// Forks it. Errors: those of fork(2) and of entering the pod's cgroups.
  static Result<FaultMeter> start(const stage::PrivateTree& tree, const stage::StagedPod& pod);

  FaultMeter(const FaultMeter&) = delete;
  FaultMeter& operator=(const FaultMeter&) = delete;
  FaultMeter(FaultMeter&& other) noexcept;
  FaultMeter& operator=(FaultMeter&& other) noexcept;
  ~FaultMeter();

  /// Nanoseconds per fault, median of `turns`. Takes about a millisecond a turn.
  /// Errors: kIo if the process is gone.
  Result<double> measure(int turns);

 private:
  FaultMeter(pid_t pid, base::Fd channel);

  pid_t pid_ = -1;
  base::Fd channel_;
};

}  // namespace evictd::bench
