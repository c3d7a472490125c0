// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "evictd/cgroup_id.h"
#include "sys/cgroup_layout.h"
#include "sys/root.h"

namespace evictd::enforce {

/// The cgroups of evictd and pid 1 at one time. Tells which pods hold one of the two, without
/// listing the processes of every pod.
class OwnCgroups {
 public:
  /// Source: /proc/PID/cgroup. It may name another cgroup in a cgroup namespace, so cgroup.procs of
  /// the named cgroup must list the process. nullopt if anything remains uncertain. Cost: some ten
  /// system calls per hierarchy.
  [[nodiscard]] static std::optional<OwnCgroups> find(const sys::Root& root,
                                                      std::span<const sys::Hierarchy> hierarchies);

  /// Whether evictd or pid 1 is in `cgroup` itself, a cgroup of one of the hierarchies.
  [[nodiscard]] bool has(CgroupId cgroup) const {
    return std::find(ids_.begin(), ids_.end(), cgroup) != ids_.end();
  }

 private:
  std::vector<CgroupId> ids_;
};

}  // namespace evictd::enforce
