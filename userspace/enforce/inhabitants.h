// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enforce/kill_target.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// What can be seen of a pod's processes without having watched them.
struct Inhabitants {
  std::size_t processes = 0;
  /// Of these, those that are exiting or have a SIGKILL that they have not yet noticed.
  std::size_t dying = 0;
  /// When the oldest of them was started, to a hundredth of a second and never later than it was;
  /// of meaning only with one.
  MonoTime oldest{};
  /// Some cgroup could not be read: there may be more, and older ones.
  bool unread = false;

  [[nodiscard]] bool all_dying() const { return !unread && processes != 0 && dying == processes; }
};

/// How much of a pod is looked at.
enum class InhabitantsLook {
  kWhole,
  /// Until one is found that is not dying, which then is all that is told: that there is somebody,
  /// and that not all are dying. Where there is none, the whole.
  kUntilOneLives,
};

/// Looks at the processes of `target` now. Sources: cgroup.procs, and /proc/PID/stat: flags
/// (PF_EXITING), signal, starttime. Opens files: for housekeeping.
[[nodiscard]] Inhabitants look_at_inhabitants(const KillTarget& target,
                                              InhabitantsLook look = InhabitantsLook::kWhole);

}  // namespace evictd::enforce
