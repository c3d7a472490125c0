// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/remains.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/ticket.h"
#include "evictd/time.h"
#include "eviction/pass.h"

namespace evictd::engine {

/// Phase of a victim's eviction.
enum class VictimPhase : std::uint8_t {
  kSoftGrace,
  kHardGrace,
  kKilled,
  /// No live process is left; zombies may still count as tasks.
  kReleased,
  /// Released, but new processes use its cgroup. The pod may be chosen like any other; only the
  /// disk space of its former processes is still pending.
  kInUseAgain,
  /// Finished: everything is free, was given up, or its wait is over. Passed over until the main
  /// thread reports the pod again or, at the regular cadence, it still has a task.
  kOver,
};

/// Which evictions of a dry run are over.
enum class DryRuns : std::uint8_t {
  kAll,
  kOfPressure,  ///< All except pods that still exceed their own limit.
};

/// Memory that a killed victim left charged to its cgroup.
enum class Left : std::uint8_t { kNothingSeen, kSeenAnew, kKnown };

/// A pod that is being evicted, or was.
struct Victim {
  CgroupId pod;
  /// Identifies the eviction to the actuator.
  Ticket ticket;
  VictimPhase phase = VictimPhase::kKilled;
  /// When SIGKILL was sent or, without one, when it was found gone. Not valid before.
  MonoTime killed_at{};
  /// Not valid before kReleased.
  MonoTime released_at{};
  /// When its cgroup was last reported to have got a live process.
  MonoTime populated_at{};
  /// It was dying for another reason when evictd started: no actuator reports its end.
  bool observed_only = false;
  /// It has exceeded its grace period and is to be judged: see Victims::judgement_due().
  bool exceeded = false;
  /// Its charge and its tasks when SIGKILL was sent.
  Bytes usage{0};
  std::int64_t tasks = 0;
  /// Readings since its release.
  Remains remains{};
  /// No process was signalled: it frees nothing.
  bool dry_run = false;
  /// Evicted for the pod's own local storage limit, not for pressure.
  bool for_own_limit = false;
  /// It also frees resources below the pod root.
  bool below_pod_root = true;
  /// Its tasks are limited to the number at its first signal.
  bool hold_tasks = false;
  /// evictd waits for its files too.
  bool holds_disk = false;
  /// When its files were known to be gone; only readings requested later show it.
  std::optional<MonoTime> disk_freed_at;
  /// evictd killed it, and waits for memory that stays charged to its cgroup too.
  bool leaves_memory = false;
  Left left = Left::kNothingSeen;
  /// Its pod has no slot any more: only its files remain.
  bool cgroup_gone = false;
};

/// Whether a victim got SIGTERM but no SIGKILL yet.
[[nodiscard]] bool is_in_grace(VictimPhase phase);
/// Whether no live process of the victim is left.
[[nodiscard]] bool is_dead(VictimPhase phase);

/// The standing of a victim in the pass.
[[nodiscard]] eviction::Standing standing_of(VictimPhase phase);
/// The same, except for a dry-run victim of its own limit. It may exceed that limit for ever, so it
/// is only passed over, and no pressure waits for its end.
[[nodiscard]] eviction::Standing standing_of(const Victim& victim);

}  // namespace evictd::engine
