// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "daemon/remains.h"
#include "enforce/actuator.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/pass.h"

namespace evictd::daemon {

/// For so long after its SIGKILL a victim counts as dying, even if it has exceeded its grace by
/// then because SIGKILL came late: a process needs 120 ms a GiB to give its memory back.
inline constexpr Duration kLeastTimeToDie = std::chrono::seconds(1);

/// The hot thread's memory of evictions: how each victim stands in the next pass, and what is still
/// to be freed. A victim stays here after its release until housekeeping has told of its new state,
/// so that what is left of it is not chosen again. Fixed size, no allocation.
class InFlightTable {
 public:
  static constexpr std::size_t kCapacity = 64;

  enum class Phase : std::uint8_t {
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

  struct Entry {
    CgroupId pod;
    enforce::Ticket ticket;
    Phase phase = Phase::kKilled;
    /// When SIGKILL was sent or, without one, it was found gone; of no meaning before that.
    MonoTime killed_at{};
    /// Of no meaning before kReleased.
    MonoTime released_at{};
    /// When its cgroup was last told to have got a live process.
    MonoTime populated_at{};
    /// Dying by whosever hand when we started: no actuator tells of its end.
    bool observed_only = false;
    /// It has exceeded its grace, and how it stands is to be judged: see judgement_due().
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

  /// Whether a victim that was killed has lost tasks or memory since its SIGKILL: slow to die, not
  /// stuck.
  [[nodiscard]] static bool is_dying(const Entry& entry, const CgroupUsage& now);

  /// When to judge by is_dying() whether a victim that has exceeded its grace still spares others:
  /// kLeastTimeToDie after its SIGKILL. Nothing for one that has not, or was judged.
  [[nodiscard]] static std::optional<MonoTime> judgement_due(const Entry& entry);
  /// The first of them.
  [[nodiscard]] std::optional<MonoTime> next_judgement() const;

  /// Whether a released victim's cgroup has processes that were started since, also where that
  /// release is over: it was told to have got one, or the reading `now` shows more than an earlier
  /// one (Remains). Keeps the least that was read in `entry`.
  [[nodiscard]] static bool is_in_use_again(Entry& entry, const CgroupUsage& now);

  /// Whether its files must still be counted as in use, by filesystems all of which were last asked
  /// at `asked_at` or later. At most for kReleaseWait.
  [[nodiscard]] static bool still_holds_disk(const Entry& entry,
                                             const std::optional<MonoTime>& asked_at, MonoTime now);

  /// Whether some victim was seen to have left memory behind since the last call.
  [[nodiscard]] bool take_left_anew();

  /// Notes `entry`, in place of an older one of the same pod. When the table is full, one that is
  /// over makes room; false if there is none.
  bool add(const Entry& entry);
  /// Whether add() would note an entry of `pod`.
  [[nodiscard]] bool has_room_for(CgroupId pod) const;
  [[nodiscard]] Entry* find(CgroupId pod);
  [[nodiscard]] const Entry* find(CgroupId pod) const;
  void remove(CgroupId pod);
  /// A live process was seen in the pod's cgroup that came at `at`, or before it and is there then.
  void note_populated(CgroupId pod, MonoTime at);
  /// The pod has no slot any more: what is left of it is its files, if those are awaited.
  void note_cgroup_gone(CgroupId pod, MonoTime now);
  /// Forgets entries without a pod whose files need not be counted as in use any more: see
  /// still_holds_disk().
  void forget_freed(const std::optional<MonoTime>& asked_at, MonoTime now);
  [[nodiscard]] std::span<Entry> entries() { return std::span(entries_).first(size_); }
  [[nodiscard]] std::span<const Entry> entries() const { return std::span(entries_).first(size_); }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::array<Entry, kCapacity> entries_{};
  std::size_t size_ = 0;
};

/// Whether a victim that was asked to end has not been killed yet.
[[nodiscard]] bool is_in_grace(InFlightTable::Phase phase);

/// How a victim stands in the pass.
[[nodiscard]] eviction::Standing standing_of(InFlightTable::Phase phase);
/// The same; but whom a dry run named for a limit of its own, which may be exceeded for ever, is
/// only passed over: no pressure waits for its end.
[[nodiscard]] eviction::Standing standing_of(const InFlightTable::Entry& entry);

}  // namespace evictd::daemon
