// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/fd.h"
#include "enforce/pod_root.h"
#include "evictd/cgroup_id.h"

namespace evictd::enforce {

/// Descriptors of cgroup.procs that are kept for one cgroup. On v1 the kernel answers a descriptor
/// that was read before from a list of its own, up to a second old, so each reading that must be
/// true takes a descriptor that was never read. Four: two readings for SIGTERM (list, verify) and
/// two for SIGKILL.
inline constexpr std::size_t kFreshProcs = 4;

/// One cgroup of a pod in one hierarchy, with everything open that signalling needs.
struct TargetCgroup {
  CgroupId id;
  HierarchyKind kind = HierarchyKind::kV2;
  base::Fd dir;
  std::array<base::Fd, kFreshProcs> procs;
  /// How many of `procs` were read; on v2, where every reading is true, only the first is open.
  std::size_t procs_read = 0;
  /// Cgroups directly below it that the target holds too. The link count of `dir` tells when there
  /// are more, at the cost of an fstat.
  std::uint32_t known_children = 0;
  /// Index of the cgroup above it within the target; of itself for the pod's own.
  std::size_t parent = 0;
  /// A reading has answered that it is gone.
  bool removed = false;
  /// Some process was listed in it when it was last read.
  bool had_processes = false;
};

}  // namespace evictd::enforce
