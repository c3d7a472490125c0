// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/fd.h"
#include "enforce/actuator.h"
#include "enforce/kill_target.h"
#include "enforce/process_lister.h"
#include "evictd/result.h"

namespace evictd::enforce {

/// Fills one new KillTarget: its cgroups, their ids and protected processes in them.
/// Thread rule: main thread; it blocks in file system calls.
class TargetOpener {
 public:
  /// `options` is borrowed.
  TargetOpener(KillTarget& target, const KillTarget::Options& options);

  /// Adds the pod's cgroups of one hierarchy, if it has the directory.
  /// Errors: as KillTarget::open.
  [[nodiscard]] Result<> add(const KillTarget::Place& place);
  /// Call after the last place: stores the findings in the target.
  void finish();

 private:
  /// A directory, open while it is read.
  struct Directory {
    base::Fd fd;
    std::string path;
    CgroupId id;
    dev_t device = 0;
    nlink_t links = 0;
  };

  [[nodiscard]] static Result<Directory> look_at(base::Fd fd, std::string path,
                                                 std::uint32_t hierarchy);
  /// Adds the pod's cgroup of one hierarchy and its subtree, parents before children.
  [[nodiscard]] Result<> add_tree(const Directory& pod, HierarchyKind kind);
  void add_one(const Directory& directory, HierarchyKind kind, std::size_t parent);
  /// Adds the children in the open `directory` of the cgroup at `index`.
  [[nodiscard]] Result<> add_children(int directory, std::size_t index);

  void look_for_own(const Directory& directory);
  /// Adds those of `names` that exist and that the target does not hold yet.
  [[nodiscard]] Result<> add_named(int directory, std::size_t index,
                                   const std::vector<std::string>& names);

  KillTarget& target_;
  const OwnCgroups* own_;
  const std::vector<std::string>& children_;
  bool keep_;
  /// Link count of each cgroup of the target when it was found.
  std::vector<nlink_t> links_;
  ActuatorCounters uncounted_;
  ProcessLister lister_;
  /// Used without `own_`, only to find protected processes.
  ProcessList seen_;
};

}  // namespace evictd::enforce
