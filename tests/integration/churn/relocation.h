// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "stage/private_tree.h"

namespace evictd::churn {

/// Whether the process is in the pod's container in each hierarchy.
[[nodiscard]] bool has_entered(const stage::PrivateTree& tree, const stage::StagedPod& pod,
                               pid_t process);

/// Moves the processes of one pod's container into that of another: the nearest to a renamed
/// cgroup that there is. Those that fork meanwhile are moved with their children. One that is dying
/// stays, and its cgroup is busy until it is dead.
void move_processes(const stage::PrivateTree& tree, const stage::StagedPod& from,
                    const stage::StagedPod& to);

}  // namespace evictd::churn
