// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "harness/forked_processes.h"
#include "stage/private_tree.h"

namespace evictd::bench {

struct CrowdSize {
  int pods = 250;
  /// Of a pod, itself included; at least 2.
  int cgroups = 4;
  int readers = 0;
};

/// Makes pods whose containers take and give back memory five times a second, each in a process of
/// its own, so that the kernel has statistics of every cgroup to gather; and processes in one of
/// them that read its own memory.stat in a loop, as a container may. The cgroups belong to the
/// tree. Errors: those of making cgroups and of fork(2).
[[nodiscard]] Result<ForkedProcesses> start_crowd(stage::PrivateTree& tree, const CrowdSize& size);

}  // namespace evictd::bench
