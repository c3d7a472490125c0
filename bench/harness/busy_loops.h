// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"

namespace evictd::bench {

/// Starts processes of ordinary priority that each keep one CPU busy.
/// Errors: those of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_busy_loops(int count);

}  // namespace evictd::bench
