// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "evictd/result.h"
#include "harness/private_ground.h"
#include "harness/report.h"

namespace evictd::bench {

/// Measures the cost of `evictd --notify-only`, and of the kernel's work for it, in `seconds` with
/// kManyRegistrations on `cgroups`. First nothing happens; then a pod stays 1 MiB below a further
/// threshold on the pod root. Errors: those of Listening, of processes and of spend().
[[nodiscard]] Result<> measure_resting(int seconds, PrivateGround& ground,
                                       const std::filesystem::path& programs,
                                       std::span<const std::filesystem::path> cgroups,
                                       Report& report);

}  // namespace evictd::bench
