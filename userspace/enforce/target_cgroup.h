// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "enforce/pod_root.h"
#include "evictd/cgroup_id.h"

namespace evictd::enforce {

/// Descriptors of cgroup.procs kept per v1 cgroup. On v1 the kernel answers a second reading of a
/// descriptor from a cached list up to a second old. Each reading that must be current therefore
/// takes an unread descriptor. The first signal needs two readings (list, verify); later ones may
/// open a file.
inline constexpr std::size_t kFreshProcs = 2;

/// Links of an empty directory; each directory in it adds one.
inline constexpr nlink_t kLinksOfItself = 2;

/// One cgroup of a pod in one hierarchy. Keeps no directory open: a pod would need one per cgroup
/// and hierarchy, and only rare operations use them.
struct TargetCgroup {
  CgroupId id;
  HierarchyKind kind = HierarchyKind::kV2;
  /// The directory in the file system. Another cgroup may use this path by now: see
  /// open_directory().
  std::string path;
  /// Device of the file system of `path`; ids are unique within it.
  dev_t device = 0;
  /// Empty until the target is prepared, and in all hierarchies of a pod except the first.
  std::array<base::Fd, kFreshProcs> procs;
  /// How many of `procs` were read. On v2 every reading is current, and only the first is open.
  std::size_t procs_read = 0;
  /// Number of direct child cgroups that the target holds too. A higher link count of the directory
  /// reveals more.
  std::uint32_t known_children = 0;
  /// Index of the parent cgroup within the target; its own index for the pod's own cgroup.
  std::size_t parent = 0;
  /// A reading found that it is gone.
  bool removed = false;
  /// The last reading listed a process in it.
  bool had_processes = false;

  /// Opens the directory by its path if it is still this cgroup. Empty, with errno ENOENT, if it is
  /// gone or another cgroup has its path. Cost: 3 us, three system calls.
  [[nodiscard]] base::Fd open_directory() const;
  /// Number of direct child directories, without opening a file; nullopt if it is gone or another
  /// cgroup has its path. Cost: 1 us, a system call.
  [[nodiscard]] std::optional<std::uint32_t> count_children() const;
};

}  // namespace evictd::enforce
