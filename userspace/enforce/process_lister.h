// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
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
  /// Some cgroup could not be read: there may be more.
  bool unread = false;
  /// Cgroups had to be found by walking the tree.
  bool walked = false;
  /// evictd itself or pid 1 is among them.
  bool holds_protected = false;

  [[nodiscard]] bool contains(pid_t pid) const;
  void clear();
};

/// How a reading of cgroup.procs ended.
enum class ProcsRead {
  kWhole,
  kGone,    ///< The cgroup is removed, so that it has no process.
  kFailed,  ///< There may be processes that are not in the list.
};

/// Adds to `list` what the open cgroup.procs `fd` lists, from its start; `text` is room to read in.
/// Numbers that are no pid of a process that we can see (0) are left out.
[[nodiscard]] ProcsRead read_procs(int fd, std::span<char> text, ProcessList& list);

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
  friend bool list_again(const KillTarget& target, ProcessList& list,
                         const std::function<bool()>& enough);

  void find_unknown(KillTarget& target, ListScope scope, ProcessList& list);
  /// False when the cgroup is gone.
  [[nodiscard]] bool read_cgroup(TargetCgroup& cgroup, ProcessList& list);
  [[nodiscard]] bool read_file(int fd, ProcessList& list);
  [[nodiscard]] bool mark_unread(ProcessList& list);
  [[nodiscard]] bool read_by_path(const TargetCgroup& cgroup, ProcessList& list);
  [[nodiscard]] bool read_directory(int dir, ProcessList& list);
  void walk(const KillTarget& target, CgroupId above, int dir, int depth, ProcessList& list);

  ActuatorCounters& counters_;
  std::vector<char> text_;
};

/// Fills `list` with the processes of the cgroups that `target` holds, opening every file
/// anew: for housekeeping, beside a hot thread that uses the target. Asks `enough` after each
/// cgroup, containers before their pod: once it is true the rest is left out, and the answer is
/// false, with a list that is neither sorted nor united.
bool list_again(const KillTarget& target, ProcessList& list,
                const std::function<bool()>& enough = nullptr);

}  // namespace evictd::enforce
