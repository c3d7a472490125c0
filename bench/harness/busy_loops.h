// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"

namespace evictd::bench {

/// Starts processes of ordinary priority that do nothing but take a CPU each.
/// Errors: those of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_busy_loops(int count);

}  // namespace evictd::bench
