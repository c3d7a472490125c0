// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// The most containers of an idle pod.
inline constexpr int kMostContainers = 16;

/// Adds `count` pods of the three QoS classes to `tree`, each with `containers` containers of one
/// waiting process, as most have. The cgroups belong to the tree. A killed process counts as a task
/// of its pod until it is reaped. Errors: those of creating cgroups and of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_idle_pods(stage::PrivateTree& tree, int count,
                                                      int containers = 1);

}  // namespace evictd::bench
