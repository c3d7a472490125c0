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

/// Where evictd itself and pid 1 are at one moment: of many pods it tells those that one of the two
/// is in, without listing the processes of each.
class OwnCgroups {
 public:
  /// Source: /proc/PID/cgroup, believed only where cgroup.procs of the cgroup that it names lists
  /// the process: in a cgroup namespace it may name another one. Nothing if something cannot be
  /// told for sure. Cost: some ten system calls for each of `hierarchies`.
  [[nodiscard]] static std::optional<OwnCgroups> find(const sys::Root& root,
                                                      std::span<const sys::Hierarchy> hierarchies);

  /// Whether one of the two is in `cgroup` itself, which is one of those hierarchies.
  [[nodiscard]] bool has(CgroupId cgroup) const {
    return std::find(ids_.begin(), ids_.end(), cgroup) != ids_.end();
  }

 private:
  std::vector<CgroupId> ids_;
};

}  // namespace evictd::enforce
