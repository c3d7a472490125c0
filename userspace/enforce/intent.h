// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "enforce/kill_target.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// The intent to kill a pod, written on its cgroup before the first signal: the extended attribute
/// trusted.evictd of its file of charged bytes. It lives exactly as long as the cgroup and outlives
/// its writer. Writing costs one system call without disk access, so the hot thread may do it.
struct Intent {
  /// Caused by a hard threshold, not a soft one.
  bool hard = true;
  /// No grace period: SIGKILL is the first signal.
  bool at_once = false;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// For a disk threshold or a local storage limit: evictd waits for its files too.
  bool for_disk = false;
  /// For pid.available: its tasks are limited to the number at its first signal, until it is gone
  /// or reprieved.
  bool hold_tasks = false;
  /// The pod's pids.max ("max" or a number) before evictd changed it; empty if unknown.
  /// write_intent() takes it from the target.
  std::string pids_max{};
  /// Identity of the clock behind its times, as in a state file. Empty if unknown, as written by an
  /// older evictd. The caller passes it to write_intent().
  std::string clock{};

  bool operator==(const Intent&) const = default;
};

/// `clock`: identity of the clock behind its times; a text longer than any valid one is cut.
/// `pids_max`: KillTarget::pids_max_now(). Allocates nothing. False if the kernel lacks such
/// attributes for cgroups, or if the target has no descriptor.
bool write_intent(const KillTarget& target, const Intent& intent, std::string_view clock,
                  const PidsMax& pids_max);
/// The same, and reads pids.max.
bool write_intent(const KillTarget& target, const Intent& intent, std::string_view clock);
/// Runs the code path of write_intent() up to the kernel's write, and writes nothing.
void practise_intent(const KillTarget& target, const PidsMax& pids_max);
/// nullopt if there is none, or if it is not evictd's.
[[nodiscard]] std::optional<Intent> read_intent(const KillTarget& target);
/// The same from a file of charged bytes that the caller has opened.
[[nodiscard]] std::optional<Intent> read_intent(int usage_descriptor);
void clear_intent(const KillTarget& target);
void clear_intent(int usage_descriptor);

/// Result of restore_pids_max().
enum class ForkRestore {
  kNotStopped,  ///< pids.max is missing or not as evictd writes it: unchanged.
  kRestored,    ///< It has its previous value again.
  kUnlimited,   ///< It is "max" now: the previous value is unknown.
  kFailed,      ///< It could not be written.
};

/// Lets a pod fork again whose pids.max an earlier evictd changed: on v1 if it is 0, and if the
/// intent has hold_tasks. Writes the value from the intent. Opens files: for the main thread.
/// Recreate a target of the hot thread afterwards: it keeps the previous pids.max.
ForkRestore restore_pids_max(const KillTarget& target, const Intent& intent);
/// The same before the hot thread has the target; the target then knows the new pids.max.
ForkRestore restore_forks(KillTarget& target, const Intent& intent);

}  // namespace evictd::enforce
