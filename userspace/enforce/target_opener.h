// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

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
  TargetOpener(KillTarget& target, Preparation preparation);

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
  [[nodiscard]] Result<> add_tree(const Directory& directory, HierarchyKind kind,
                                  std::size_t parent);
  [[nodiscard]] Result<> add_children(const Directory& directory, HierarchyKind kind,
                                      std::size_t index);

  KillTarget& target_;
  bool keep_;
  ActuatorCounters uncounted_;
  ProcessLister lister_;
  /// Only says whether a protected process was seen.
  ProcessList seen_;
};

}  // namespace evictd::enforce
