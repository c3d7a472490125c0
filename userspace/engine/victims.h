// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/victim.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/time.h"
#include "evictd/usage.h"

namespace evictd::engine {

/// For so long after its SIGKILL a victim counts as dying, even if it has exceeded its grace by
/// then because SIGKILL came late: a process needs 120 ms a GiB to give its memory back.
inline constexpr Duration kLeastTimeToDie = std::chrono::seconds(1);

/// What is remembered of evictions: how each victim stands in the next pass, and what is still
/// to be freed. A victim stays here after its release until housekeeping has told of its new state,
/// so that what is left of it is not chosen again. Fixed size, no allocation.
class Victims {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// Whether a victim that was killed has lost tasks or memory since its SIGKILL: slow to die, not
  /// stuck.
  [[nodiscard]] static bool is_dying(const Victim& victim, const CgroupUsage& now);

  /// When to judge by is_dying() whether a victim that has exceeded its grace still spares others:
  /// kLeastTimeToDie after its SIGKILL. Nothing for one that has not, or was judged.
  [[nodiscard]] static std::optional<MonoTime> judgement_due(const Victim& victim);
  /// The first of them.
  [[nodiscard]] std::optional<MonoTime> next_judgement() const;

  /// Whether a released victim's cgroup has processes that were started since, also where that
  /// release is over: it was told to have got one, or the reading `now` shows more than an earlier
  /// one (Remains). Keeps the least that was read in `victim`.
  [[nodiscard]] static bool is_in_use_again(Victim& victim, const CgroupUsage& now);

  /// Whether its files must still be counted as in use, by filesystems all of which were last asked
  /// at `asked_at` or later. At most for kReleaseWait.
  [[nodiscard]] static bool still_holds_disk(const Victim& victim,
                                             const std::optional<MonoTime>& asked_at, MonoTime now);

  /// Whether some victim was seen to have left memory behind since the last call.
  [[nodiscard]] bool take_newly_left();

  /// Notes `victim`, in place of an older one of the same pod. When the table is full, one that is
  /// over makes room; false if there is none.
  bool add(const Victim& victim);
  /// Whether add() would note an victim of `pod`.
  [[nodiscard]] bool has_room_for(CgroupId pod) const;
  [[nodiscard]] Victim* find(CgroupId pod);
  [[nodiscard]] const Victim* find(CgroupId pod) const;
  void remove(CgroupId pod);
  /// A live process was seen in the pod's cgroup that came at `at`, or before it and is there then.
  void mark_populated(CgroupId pod, MonoTime at);
  /// The pod has no slot any more: what is left of it is its files, if those are awaited.
  void mark_cgroup_gone(CgroupId pod, MonoTime now);
  /// Forgets entries without a pod whose files need not be counted as in use any more: see
  /// still_holds_disk().
  void forget_freed(const std::optional<MonoTime>& asked_at, MonoTime now);
  [[nodiscard]] std::span<Victim> all() { return std::span(entries_).first(size_); }
  [[nodiscard]] std::span<const Victim> all() const { return std::span(entries_).first(size_); }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::array<Victim, kCapacity> entries_{};
  std::size_t size_ = 0;
};

}  // namespace evictd::engine
