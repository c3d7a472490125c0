// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Adds `count` pods of the three QoS classes to `tree`, with one process each that only waits, as
/// most pods of a node do. The cgroups belong to the tree. A process that has been killed counts as
/// a task of its pod until it is reaped. Errors: those of making cgroups and of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_idle_pods(stage::PrivateTree& tree, int count);

}  // namespace evictd::bench
