// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enforce/kill_target.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// State of a pod's processes that evictd has not watched.
struct Inhabitants {
  std::size_t processes = 0;
  /// Processes that are exiting or have a pending SIGKILL.
  std::size_t dying = 0;
  /// Start time of the oldest process, rounded down to 1/100 s; valid only with a process.
  MonoTime oldest{};
  /// Some cgroup could not be read: there may be more, and older ones.
  bool unread = false;

  [[nodiscard]] bool all_dying() const { return !unread && processes != 0 && dying == processes; }
};

/// How much of a pod is read.
enum class InhabitantsLook {
  kWhole,
  /// Stops at the first process that is not dying, and then reports only that: one process, not
  /// dying. Without such a process, the whole pod.
  kUntilOneLives,
};

/// Reads the processes of `target` now. Sources: cgroup.procs, and /proc/PID/stat: flags
/// (PF_EXITING), signal, starttime. Opens files: for the main thread.
[[nodiscard]] Inhabitants look_at_inhabitants(const KillTarget& target,
                                              InhabitantsLook look = InhabitantsLook::kWhole);

}  // namespace evictd::enforce
