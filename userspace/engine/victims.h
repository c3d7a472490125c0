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

/// How long after its SIGKILL a victim counts as dying, even if a late SIGKILL made it exceed its
/// grace period. A process needs 120 ms per GiB to release its memory.
inline constexpr Duration kLeastTimeToDie = std::chrono::seconds(1);

/// The victims: their standing in the next pass, and what they still have to free. A victim stays
/// after its release until the main thread has reported its new state, so that its rest is not
/// chosen again. Fixed size, no allocation.
class Victims {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// Whether a killed victim has lost tasks or memory since its SIGKILL: it is slow, not stuck.
  [[nodiscard]] static bool is_dying(const Victim& victim, const CgroupUsage& now);

  /// When to judge with is_dying() whether passes still wait for a victim that has exceeded its
  /// grace period: kLeastTimeToDie after its SIGKILL. nullopt if it has not, or was judged.
  [[nodiscard]] static std::optional<MonoTime> judgement_due(const Victim& victim);
  /// The earliest judgement_due().
  [[nodiscard]] std::optional<MonoTime> next_judgement() const;

  /// Whether processes were started in a released victim's cgroup, also after that release is over.
  /// True if an event reported one, or if `now` exceeds an earlier reading (Remains). Keeps the
  /// lowest readings in `victim`.
  [[nodiscard]] static bool is_in_use_again(Victim& victim, const CgroupUsage& now);

  /// Whether its files still count as in use, given that all filesystems were last asked at
  /// `asked_at` or later. At most for kReleaseWait.
  [[nodiscard]] static bool still_holds_disk(const Victim& victim,
                                             const std::optional<MonoTime>& asked_at, MonoTime now);

  /// Whether a victim was found since the last call to have left memory behind.
  [[nodiscard]] bool take_newly_left();

  /// Adds `victim`; replaces an older one of the same pod. If the table is full, a victim that is
  /// over makes room; returns false if there is none.
  bool add(const Victim& victim);
  /// Whether add() would accept a victim of `pod`.
  [[nodiscard]] bool has_room_for(CgroupId pod) const;
  [[nodiscard]] Victim* find(CgroupId pod);
  [[nodiscard]] const Victim* find(CgroupId pod) const;
  void remove(CgroupId pod);
  /// The pod's cgroup has a live process at `at`.
  void mark_populated(CgroupId pod, MonoTime at);
  /// The pod has no slot any more: only its files remain, if evictd waits for them.
  void mark_cgroup_gone(CgroupId pod, MonoTime now);
  /// Forgets victims without a pod whose files no longer count as in use: see still_holds_disk().
  void forget_freed(const std::optional<MonoTime>& asked_at, MonoTime now);
  [[nodiscard]] std::span<Victim> all() { return std::span(entries_).first(size_); }
  [[nodiscard]] std::span<const Victim> all() const { return std::span(entries_).first(size_); }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::array<Victim, kCapacity> entries_{};
  std::size_t size_ = 0;
};

}  // namespace evictd::engine
