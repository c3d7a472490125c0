// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Adds `count` pods of the three QoS classes to `tree`, each with one waiting process, as most
/// pods of a node have. The cgroups belong to the tree. A killed process counts as a task of its
/// pod until it is reaped. Errors: those of creating cgroups and of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_idle_pods(stage::PrivateTree& tree, int count);

}  // namespace evictd::bench
