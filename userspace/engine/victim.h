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

/// Where the end of a victim is.
enum class VictimPhase : std::uint8_t {
  kSoftGrace,
  kHardGrace,
  kKilled,
  /// No live process is left; zombies may still count as tasks.
  kReleased,
  /// Released, and new processes have its cgroup, which may be chosen like any other. What is
  /// still awaited is the disk of those before them.
  kInUseAgain,
  /// Over for us: all is free, or given up, or awaited for long enough. Passed over until
  /// housekeeping tells of the pod anew or, at the regular cadence, it still has a task.
  kOver,
};

/// What a dead victim was seen to have left charged to its cgroup.
enum class Left : std::uint8_t { kNothingSeen, kSeenAnew, kKnown };

/// A pod that is being ended, or was.
struct Victim {
  CgroupId pod;
  /// By which the actuator knows it.
  Ticket ticket;
  VictimPhase phase = VictimPhase::kKilled;
  /// When SIGKILL was sent or, without one, it was found gone; of no meaning before that.
  MonoTime killed_at{};
  /// Of no meaning before kReleased.
  MonoTime released_at{};
  /// When its cgroup was last told to have got a live process.
  MonoTime populated_at{};
  /// Dying by whosever hand when we started: no actuator tells of its end.
  bool observed_only = false;
  /// It has exceeded its grace, and how it stands is to be judged: see Victims::judgement_due().
  bool exceeded = false;
  /// What it was charged with when SIGKILL was sent, and its tasks then.
  Bytes usage{0};
  std::int64_t tasks = 0;
  /// What was read since its release.
  Remains remains{};
  /// Nobody was signalled: what it holds stays held.
  bool dry_run = false;
  /// It was begun for a limit on local storage of the pod's own, not for pressure.
  bool for_own_limit = false;
  /// What it frees is freed below the pod root too.
  bool below_pod_root = true;
  /// It has no more tasks than at its first signal.
  bool hold_tasks = false;
  /// Its files are awaited too.
  bool holds_disk = false;
  /// They are known to be gone, which only readings that were asked for later show.
  std::optional<MonoTime> disk_freed_at;
  /// It is dead by our hand: what stays charged to its cgroup is awaited too.
  bool leaves_memory = false;
  Left left = Left::kNothingSeen;
  /// Its pod has no slot any more: only its files are left.
  bool cgroup_gone = false;
};

/// Whether a victim that was asked to end has not been killed yet.
[[nodiscard]] bool is_in_grace(VictimPhase phase);
/// Whether no process of the victim is left to wait for.
[[nodiscard]] bool is_dead(VictimPhase phase);

/// How a victim stands in the pass.
[[nodiscard]] eviction::Standing standing_of(VictimPhase phase);
/// The same; but whom a dry run named for a limit of its own, which may be exceeded for ever, is
/// only passed over: no pressure waits for its end.
[[nodiscard]] eviction::Standing standing_of(const Victim& victim);

}  // namespace evictd::engine
