// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"
#include "harness/private_ground.h"
#include "harness/report.h"

namespace evictd::bench {

struct FaultOptions {
  /// Each round measures a block of every state, see measure_states().
  int rounds = 0;
  /// Turns of 768 faults per measurement.
  int turns = 0;
};

/// Measures the cost of a page fault with nothing registered, and with kManyRegistrations on the
/// faulting cgroup and its ancestors. The nearest threshold of each cgroup is far away or 1 MiB
/// above. Errors: those of creating processes and of Listening; kBusy when interrupted.
[[nodiscard]] Result<> measure_faults(const FaultOptions& options, PrivateGround& ground,
                                      const std::filesystem::path& programs, Report& report);

}  // namespace evictd::bench
