// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "enforce/pod_files.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/ticket.h"
#include "evictd/time.h"

namespace evictd::enforce {

using evictd::Ticket;

/// Where an eviction is.
enum class EvictionState : std::uint8_t {
  kTerminating,    ///< SIGTERM was sent; the grace period runs.
  kKilled,         ///< SIGKILL was sent; processes are ending and memory is being freed.
  kExceededGrace,  ///< Not gone in time: reported once, no longer to be waited for, still watched.
  kReleased,       ///< No live process is left in any of the pod's cgroups.
};

/// "terminating", "killed", "exceeded_grace", "released".
[[nodiscard]] std::string_view to_string(EvictionState state);

/// By what a signal was delivered.
enum class SignalMethod : std::uint8_t {
  kCgroupKill,  ///< cgroup.kill: the kernel signals the whole subtree, forks in flight included.
  kPidfds,      ///< One pidfd a process, until no unsignalled process is left.
  kDryRun,      ///< Nothing was sent.
};

/// "cgroup.kill", "pidfds", "dry_run".
[[nodiscard]] std::string_view to_string(SignalMethod method);

/// What one round of signalling did.
struct SignalReport {
  Ticket ticket;
  /// SIGTERM or SIGKILL.
  int signal = 0;
  SignalMethod method = SignalMethod::kPidfds;
  /// Stamps of the actuator's clock: after the first process was signalled, and after the last.
  MonoTime first_at{};
  MonoTime last_at{};
  /// Processes signalled; with cgroup.kill, those that were listed just before.
  std::uint32_t processes = 0;
  /// Processes that ended or left the pod between being listed and being signalled.
  std::uint32_t gone = 0;
  /// Files opened before the first of them was signalled; 0 when housekeeping has kept up.
  std::uint32_t opened = 0;
  /// Cgroups had appeared that the target does not hold: the tree was walked, opening files.
  bool walked = false;
};

/// Progress::not_killed where every try to signal a process failed.
inline constexpr std::string_view kUnreachable = "unreachable";

/// One step of an eviction, to be taken by the hot loop after each call.
struct Progress {
  Ticket ticket;
  CgroupId pod;
  EvictionState state = EvictionState::kTerminating;
  /// When it happened: for kTerminating and kKilled the stamp of the last signal, for the others
  /// the `now` of the call that saw it.
  MonoTime at{};
  /// Of the last signals sent; `processes` is 0 if this step sent none.
  SignalReport signals;
  /// Of kExceededGrace: why SIGKILL was not sent at the end of the grace, a to_string(Protection)
  /// or kUnreachable. Empty where it was sent.
  std::string_view not_killed{};
};

/// Where an eviction stands that an earlier process of ours began.
struct Adoption {
  /// kTerminating or kKilled.
  EvictionState state = EvictionState::kTerminating;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// The epoch if it was not killed.
  MonoTime killed_at{};
  /// What pids.max of the pod said before that process changed it; empty for not known.
  PidsMax pids_max{};
  /// The pod is to have no more tasks than it had at its first signal.
  bool hold_tasks = false;
};

/// An eviction that is not yet released.
struct InFlight {
  Ticket ticket;
  CgroupId pod;
  EvictionState state = EvictionState::kTerminating;
  MonoTime began_at{};
  /// When SIGKILL was sent; the epoch if it was not.
  MonoTime killed_at{};
  /// End of the grace period: when SIGKILL is or was due.
  MonoTime kill_due_at{};
  /// Bytes still charged to the pod: pending release once it is killed. -1 if not readable.
  Bytes usage{-1};
};

}  // namespace evictd::enforce
