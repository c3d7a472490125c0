// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::enforce {

/// Kind of a hierarchy, with its files for killing a pod.
enum class HierarchyKind {
  kV2,        ///< cgroup.kill, cgroup.freeze, cgroup.events; cgroup.procs of every cgroup.
  kV1Memory,  ///< cgroup.procs, and the usage while memory is being freed.
  kV1Pids,    ///< cgroup.procs, and pids.max, which stops a pod from forking.
};

/// A directory of one hierarchy below which evictd may signal processes: the pod root, or the
/// parent of cgroups that match a glob of the config. Nothing outside the roots can be opened as a
/// KillTarget, and a root itself never is one.
class PodRoot {
 public:
  struct Options {
    HierarchyKind kind = HierarchyKind::kV2;
    /// As in CgroupId::hierarchy.
    std::uint32_t hierarchy = 0;
    /// The directory in the file system: "/sys/fs/cgroup/memory/kubepods".
    std::string directory;
  };

  /// Errors: kNotFound, naming the directory; kInvalid when it is not in a cgroup file system.
  [[nodiscard]] static Result<PodRoot> open(const Options& options);

  [[nodiscard]] HierarchyKind kind() const { return kind_; }
  [[nodiscard]] CgroupId id() const { return id_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] int fd() const { return dir_.get(); }

 private:
  HierarchyKind kind_ = HierarchyKind::kV2;
  CgroupId id_;
  std::string directory_;
  base::Fd dir_;
};

}  // namespace evictd::enforce
