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

/// Descriptors of cgroup.procs that are kept for one v1 cgroup. On v1 the kernel answers a
/// descriptor that was read before from a list of its own, up to a second old, so each reading that
/// must be true takes a descriptor that was never read. Two: the first signal needs two readings
/// (list, verify), and what comes after it may open a file.
inline constexpr std::size_t kFreshProcs = 2;

/// A directory has two links and one more for each directory in it.
inline constexpr nlink_t kLinksOfItself = 2;

/// One cgroup of a pod in one hierarchy. No directory is kept open: a pod would need one for each
/// cgroup and hierarchy, and only what is rare needs them.
struct TargetCgroup {
  CgroupId id;
  HierarchyKind kind = HierarchyKind::kV2;
  /// The directory in the file system. Another cgroup may have it by now: see open_directory().
  std::string path;
  /// Of the file system that `path` is in; ids are unique within it.
  dev_t device = 0;
  /// Empty in all hierarchies of a pod but the first, and until the target is prepared.
  std::array<base::Fd, kFreshProcs> procs;
  /// How many of `procs` were read; on v2, where every reading is true, only the first is open.
  std::size_t procs_read = 0;
  /// Cgroups directly below it that the target holds too. The link count of the directory tells
  /// when there are more.
  std::uint32_t known_children = 0;
  /// Index of the cgroup above it within the target; of itself for the pod's own.
  std::size_t parent = 0;
  /// A reading has answered that it is gone.
  bool removed = false;
  /// Some process was listed in it when it was last read.
  bool had_processes = false;

  /// Opens the directory anew, by its path, and only if it is this cgroup still. Empty, with errno
  /// ENOENT, when it is gone or another one has its path. Cost: 3 us, three system calls.
  [[nodiscard]] base::Fd open_directory() const;
  /// Directories right below it, without opening anything; nothing when it is gone or
  /// another one has its path. Cost: 1 us, a system call.
  [[nodiscard]] std::optional<std::uint32_t> count_children() const;
};

}  // namespace evictd::enforce
