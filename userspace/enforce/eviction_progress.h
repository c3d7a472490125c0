// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "enforce/bridge.h"
#include "enforce/pod_files.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/ticket.h"
#include "evictd/time.h"

namespace evictd::enforce {

using evictd::Ticket;

/// State of an eviction.
enum class EvictionState : std::uint8_t {
  kTerminating,    ///< SIGTERM was sent; the grace period runs.
  kKilled,         ///< SIGKILL was sent; processes exit and memory is being freed.
  kExceededGrace,  ///< Not gone in time: reported once; no pass waits for it, still watched.
  kReleased,       ///< No live process is left in any of the pod's cgroups.
};

/// "terminating", "killed", "exceeded_grace", "released".
[[nodiscard]] std::string_view to_string(EvictionState state);

/// How a signal was delivered.
enum class SignalMethod : std::uint8_t {
  kCgroupKill,  ///< cgroup.kill: the kernel signals the whole subtree, forks in flight included.
  kPidfds,      ///< One pidfd per process, until no unsignalled process is left.
  kDryRun,      ///< Nothing was sent.
  kKernel,      ///< By the kernel side alone: nobody was left to signal, or could be yet.
};

/// "cgroup.kill", "pidfds", "dry_run", "kernel".
[[nodiscard]] std::string_view to_string(SignalMethod method);

/// What one round of signalling did.
struct SignalReport {
  Ticket ticket;
  /// SIGTERM or SIGKILL.
  int signal = 0;
  SignalMethod method = SignalMethod::kPidfds;
  /// Times of the actuator's clock: after the first process was signalled, and after the last.
  MonoTime first_at{};
  MonoTime last_at{};
  /// Processes signalled; with cgroup.kill, the processes listed just before.
  std::uint32_t processes = 0;
  /// Processes that exited or left the pod after they were listed, before they were signalled.
  std::uint32_t gone = 0;
  /// Files opened before the first process was signalled; 0 if the main thread has kept up.
  std::uint32_t opened = 0;
  /// The target lacked new cgroups: the tree was walked, opening files.
  bool walked = false;
  /// What became of the bridge that Start::bridge asked for.
  BridgeReport bridge{};
};

/// Progress::not_killed if every try to signal a process failed.
inline constexpr std::string_view kUnreachable = "unreachable";

/// One step of an eviction. The hot loop takes the steps after each call.
struct Progress {
  Ticket ticket;
  CgroupId pod;
  EvictionState state = EvictionState::kTerminating;
  /// When it happened: for kTerminating and kKilled the time of the last signal, for the others the
  /// `now` of the call that saw it. For kReleased at a later try to finish a kill of the kernel
  /// side: that kill.
  MonoTime at{};
  /// Report of the last signals; `processes` is 0 if this step sent none.
  SignalReport signals;
  /// With kExceededGrace: why SIGKILL was not sent at the end of the grace period, a
  /// to_string(Protection) or kUnreachable. Empty if it was sent.
  std::string_view not_killed{};
};

/// State of an eviction that an earlier evictd process began.
struct Adoption {
  /// kTerminating or kKilled.
  EvictionState state = EvictionState::kTerminating;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// The epoch if it was not killed.
  MonoTime killed_at{};
  /// The pod's pids.max before that process changed it; empty if unknown.
  PidsMax pids_max{};
  /// The pod's tasks are limited to the number at its first signal.
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
  /// Bytes still charged to the pod; a pending release once it is killed. -1 if not readable.
  Bytes usage{-1};
};

}  // namespace evictd::enforce
