// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "evictd/result.h"
#include "harness/private_ground.h"
#include "harness/report.h"

namespace evictd::bench {

/// What `evictd --notify-only` and the kernel's work for it cost in so many seconds with
/// kManyRegistrations on `cgroups`, first while nothing happens, then with a pod parked 1 MiB below
/// one threshold more, of the pod root. Errors: those of Listening, of processes and of spend().
[[nodiscard]] Result<> measure_resting(int seconds, PrivateGround& ground,
                                       const std::filesystem::path& programs,
                                       std::span<const std::filesystem::path> cgroups,
                                       Report& report);

}  // namespace evictd::bench
