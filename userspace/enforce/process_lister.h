// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "enforce/actuator.h"
#include "enforce/kill_target.h"

namespace evictd::enforce {

/// The processes of a pod at one moment, in memory of fixed size.
struct ProcessList {
  explicit ProcessList(std::size_t capacity) { pids.reserve(capacity); }

  /// Ascending, each once.
  std::vector<pid_t> pids;
  /// There were more than the list has room for.
  bool truncated = false;
  /// Cgroups had to be found by walking the tree.
  bool walked = false;
  /// evictd itself or pid 1 is among them.
  bool holds_protected = false;

  [[nodiscard]] bool contains(pid_t pid) const;
  void clear();
};

/// Which cgroups of a target are read.
enum class ListScope {
  kFirstHierarchy,  ///< Those of the first place: there a pod's processes are, as a rule.
  kAll,
};

/// Reads the processes of all cgroups of a target, true at the moment of the call: on v1 from
/// descriptors that were never read before (see kFreshProcs), and including cgroups that have
/// appeared since the target was opened. What has no such descriptor left is opened by its path.
class ProcessLister {
 public:
  /// `counters` is borrowed.
  explicit ProcessLister(ActuatorCounters& counters);

  /// Fills `list` anew. A cgroup that is gone has no process. Neither threads nor zombies are
  /// listed. Cost: 5 us a cgroup, 8 us more for one that has to be opened. Allocates nothing; opens
  /// files only when it must (`walks`, `reopened_procs`).
  void read(KillTarget& target, ListScope scope, ProcessList& list);
  /// The same of the cgroups that the target holds, without looking for others.
  void read_known(KillTarget& target, ListScope scope, ProcessList& list);
  /// Fills `list` with what is there now in the cgroups that had processes at the last reading of
  /// `target`: enough to see who of them is still there.
  void read_again(KillTarget& target, ListScope scope, ProcessList& list);

 private:
  friend class TargetOpener;
  friend void list_anew(const KillTarget& target, ProcessList& list);

  void find_unknown(KillTarget& target, ListScope scope, ProcessList& list);
  /// False when the cgroup is gone.
  [[nodiscard]] bool read_cgroup(TargetCgroup& cgroup, ProcessList& list);
  [[nodiscard]] bool read_anew(const TargetCgroup& cgroup, ProcessList& list);
  [[nodiscard]] bool read_directory(int dir, ProcessList& list);
  void walk(const KillTarget& target, CgroupId above, int dir, int depth, ProcessList& list);

  ActuatorCounters& counters_;
  std::vector<char> text_;
};

/// Fills `list` with the processes of the cgroups that `target` holds, opening every file
/// anew: for housekeeping, beside a hot thread that uses the target.
void list_anew(const KillTarget& target, ProcessList& list);

}  // namespace evictd::enforce
