// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "enforce/actuator.h"
#include "enforce/kill_target.h"

namespace evictd::enforce {

/// The processes of a pod at one time, in memory of fixed size.
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
  /// evictd's own, asked for once: it would be a system call for each process.
  pid_t self = ::getpid();
  /// evictd itself or pid 1 is among them.
  bool holds_protected = false;

  [[nodiscard]] bool contains(pid_t pid) const;
  void clear();
};

/// Result of a reading of cgroup.procs.
enum class ProcsRead {
  kWhole,
  kGone,    ///< The cgroup is removed: it has no process.
  kFailed,  ///< The list may lack processes.
};

/// Adds the pids in the open cgroup.procs `fd` to `list`, from its start; `text` is the read
/// buffer. Skips 0, which stands for a process outside evictd's pid namespace.
[[nodiscard]] ProcsRead read_procs(int fd, std::span<char> text, ProcessList& list);

/// Which cgroups of a target are read.
enum class ListScope {
  kFirstHierarchy,  ///< Those of the first place, which usually has all processes of the pod.
  kAll,
};

/// Reads the processes of all cgroups of a target, current at the time of the call. Includes
/// cgroups created since the target was opened. On v1 it uses descriptors that were never read
/// before (see kFreshProcs); without such a descriptor it opens the file by its path.
class ProcessLister {
 public:
  /// `counters` is borrowed.
  explicit ProcessLister(ActuatorCounters& counters);

  /// Replaces the content of `list`. A removed cgroup has no process. Lists neither threads nor
  /// zombies. Cost: 5 us per cgroup, 8 us more for one that must be opened. Allocates nothing;
  /// opens files only if necessary (`walks`, `reopened_procs`).
  void read(KillTarget& target, ListScope scope, ProcessList& list);
  /// The same for the cgroups that the target holds, without a search for others.
  void read_known(KillTarget& target, ListScope scope, ProcessList& list);
  /// Fills `list` from those cgroups that had processes at the last reading of `target`. Enough to
  /// find which of these processes are still there.
  void read_again(KillTarget& target, ListScope scope, ProcessList& list);

 private:
  friend class TargetOpener;
  friend bool list_again(const KillTarget& target, ProcessList& list,
                         const std::function<bool()>& enough);

  void find_unknown(KillTarget& target, ListScope scope, ProcessList& list);
  /// False if the cgroup is gone.
  [[nodiscard]] bool read_cgroup(TargetCgroup& cgroup, ProcessList& list);
  [[nodiscard]] bool read_file(int fd, ProcessList& list);
  [[nodiscard]] bool mark_unread(ProcessList& list);
  [[nodiscard]] bool read_by_path(const TargetCgroup& cgroup, ProcessList& list);
  [[nodiscard]] bool read_directory(int dir, ProcessList& list);
  void walk(const KillTarget& target, CgroupId above, int dir, int depth, ProcessList& list);

  ActuatorCounters& counters_;
  std::vector<char> text_;
};

/// Fills `list` with the processes of the cgroups that `target` holds. Opens every file itself, so
/// that the main thread may call it while the hot thread uses the target. Calls `enough` after each
/// cgroup, containers before their pod. Once that is true, it skips the rest and returns false; the
/// list is then neither sorted nor free of duplicates.
bool list_again(const KillTarget& target, ProcessList& list,
                const std::function<bool()>& enough = nullptr);

}  // namespace evictd::enforce
