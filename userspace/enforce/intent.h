// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "enforce/kill_target.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// That a pod is to be ended, written down on its own cgroup before its first signal: the extended
/// attribute trusted.evictd of its file of charged bytes. It lives exactly as long as the cgroup,
/// outlives whoever wrote it, and costs one system call that touches no disk, so that the hot
/// thread may write it.
struct Intent {
  /// A hard threshold asked for it, or a soft one.
  bool hard = true;
  /// Without a grace: SIGKILL is the first signal.
  bool at_once = false;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// For a disk or a limit on local storage: its files are awaited too.
  bool for_disk = false;
  /// For pid.available: until it is gone or let live it has no more tasks than at its first signal.
  bool hold_tasks = false;
  /// What pids.max of the pod said, "max" or a number, before evictd changed it; empty for not
  /// known. write_intent() takes it from the target.
  std::string pids_max{};
  /// What its moments are told by, as a state file has it; empty where that is not known, as in one
  /// of an evictd that did not write it down. write_intent() is given it.
  std::string clock{};

  bool operator==(const Intent&) const = default;
};

/// `clock`: what its moments are told by; cut where it is longer than any that there is. Allocates
/// nothing. False where the kernel has no such attributes for cgroups, or the target no descriptor.
bool write_intent(const KillTarget& target, const Intent& intent, std::string_view clock);
/// The way of write_intent() to where the kernel would write, and nothing is written.
void practise_intent(const KillTarget& target);
/// Nothing if there is none, or what is there is not ours.
[[nodiscard]] std::optional<Intent> read_intent(const KillTarget& target);
/// The same from the file of charged bytes, opened by whoever asks.
[[nodiscard]] std::optional<Intent> read_intent(int usage_descriptor);
void clear_intent(const KillTarget& target);
void clear_intent(int usage_descriptor);

/// What restore_pids_max() found.
enum class ForkRestore {
  kNotStopped,  ///< pids.max is not what evictd makes of it, or there is none: nothing was done.
  kRestored,    ///< It says again what it said.
  kUnlimited,   ///< It says "max" now: what it said is not known.
  kFailed,      ///< It could not be written.
};

/// Lets a pod fork again of which an earlier evictd has changed pids.max: on v1 where it is 0, and
/// where the intent says that its tasks are held. It says what the intent has then. Opens files:
/// for housekeeping. A target that the hot thread has is to be made anew afterwards: it keeps what
/// pids.max said before.
ForkRestore restore_pids_max(const KillTarget& target, const Intent& intent);
/// The same before the hot thread has the target, which then knows what pids.max says.
ForkRestore restore_forks(KillTarget& target, const Intent& intent);

}  // namespace evictd::enforce
