// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"
#include "harness/private_ground.h"
#include "harness/report.h"

namespace evictd::bench {

struct FaultOptions {
  /// Each measures all states in random order.
  int rounds = 0;
  /// Of 768 faults, a measurement.
  int turns = 0;
};

/// What a page fault costs with nothing registered, and with kManyRegistrations on the faulting
/// cgroup and its ancestors, the nearest of each far away or 1 MiB above. Errors: those of making
/// processes and of Listening; kBusy when interrupted.
[[nodiscard]] Result<> measure_faults(const FaultOptions& options, PrivateGround& ground,
                                      const std::filesystem::path& programs, Report& report);

}  // namespace evictd::bench
