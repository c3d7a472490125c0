// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/abi/watch.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

struct bpf_program;

namespace evictd::probe {

/// Asks the kernel where the counters of one cgroup are. `cgroup_fd` is its open directory in any
/// hierarchy. kNotFound: the cgroup is gone, or is another one than `expected`. kInvalid: the root
/// of a hierarchy, which has no counters. About 20 us; opens and closes descriptors.
[[nodiscard]] Result<evictd_resolved> resolve_cgroup(bpf_program* iterator, int cgroup_fd,
                                                     CgroupId expected);

}  // namespace evictd::probe
