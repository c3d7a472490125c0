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

/// Fills one new KillTarget: what cgroups there are, who they are, who is in them.
/// Thread rule: housekeeping; it blocks in file system calls.
class TargetOpener {
 public:
  /// `options` is borrowed.
  TargetOpener(KillTarget& target, const KillTarget::Options& options);

  /// Adds the pod in one hierarchy; nothing when that has no such directory.
  /// Errors: as KillTarget::open.
  [[nodiscard]] Result<> add(const KillTarget::Place& place);
  /// After the last place: takes over what was seen.
  void finish();

 private:
  /// A directory that is open for as long as it is looked at.
  struct Directory {
    base::Fd fd;
    std::string path;
    CgroupId id;
    dev_t device = 0;
    nlink_t links = 0;
  };

  [[nodiscard]] static Result<Directory> look_at(base::Fd fd, std::string path,
                                                 std::uint32_t hierarchy);
  /// The pod in one hierarchy and all below it, parents before children.
  [[nodiscard]] Result<> add_tree(const Directory& pod, HierarchyKind kind);
  void add_one(const Directory& directory, HierarchyKind kind, std::size_t parent);
  /// What is in the open `directory`, that of the cgroup at `index`.
  [[nodiscard]] Result<> add_children(int directory, std::size_t index);

  void look_for_own(const Directory& directory);
  /// Those of `names` that are there and that the target does not hold yet.
  [[nodiscard]] Result<> add_named(int directory, std::size_t index,
                                   const std::vector<std::string>& names);

  KillTarget& target_;
  const OwnCgroups* own_;
  const std::vector<std::string>& children_;
  bool keep_;
  /// Of each cgroup of the target, when it was found.
  std::vector<nlink_t> links_;
  ActuatorCounters uncounted_;
  ProcessLister lister_;
  /// Without `own_`. Only says whether a protected process was seen.
  ProcessList seen_;
};

}  // namespace evictd::enforce
