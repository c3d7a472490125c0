// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"
#include "stage/private_tree.h"

namespace evictd::bench {

struct CrowdSize {
  int pods = 250;
  /// Cgroups of a pod, including its own; at least 2.
  int cgroups = 4;
  int readers = 0;
};

/// Creates pods whose containers allocate and free memory five times a second, each in its own
/// process. The kernel then has statistics of every cgroup to flush. Further processes in one of
/// the pods read its memory.stat in a loop, as a container may. The cgroups belong to the tree.
/// Errors: those of creating cgroups and of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_crowd(stage::PrivateTree& tree, const CrowdSize& size);

}  // namespace evictd::bench
