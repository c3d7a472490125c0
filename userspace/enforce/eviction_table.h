// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "enforce/actuator.h"
#include "evictd/kill_times.h"

namespace evictd::enforce {

/// Pins a target during its own lifetime.
class PinnedTarget {
 public:
  PinnedTarget() = default;
  explicit PinnedTarget(KillTarget& target);
  PinnedTarget(PinnedTarget&& other) noexcept;
  PinnedTarget& operator=(PinnedTarget&& other) noexcept;
  PinnedTarget(const PinnedTarget&) = delete;
  PinnedTarget& operator=(const PinnedTarget&) = delete;
  ~PinnedTarget();

  [[nodiscard]] KillTarget* get() const { return target_; }

 private:
  KillTarget* target_ = nullptr;
};

/// One eviction in progress.
struct Eviction {
  Ticket ticket;
  PinnedTarget target;
  EvictionState state = EvictionState::kTerminating;
  MonoTime began_at{};
  MonoTime killed_at{};
  MonoTime kill_due_at{};
  /// When the eviction counts as having exceeded its grace.
  MonoTime give_up_at{};
  /// When a SIGKILL first reached no process; the epoch if that did not happen.
  MonoTime first_failed_at{};
  /// Start::killed_by_kernel_at of a kill that reached no process yet.
  std::optional<MonoTime> killed_by_kernel_at;
  /// When to check the pod again without an event.
  std::optional<MonoTime> look_again_at;

  [[nodiscard]] bool in_use() const { return target.get() != nullptr; }
  [[nodiscard]] bool killed() const { return state != EvictionState::kTerminating; }
};

/// The evictions in progress and the steps not yet taken, in memory of fixed size. Knows deadlines,
/// not processes. Thread rule: as its actuator.
class EvictionTable {
 public:
  explicit EvictionTable(std::size_t capacity);

  [[nodiscard]] bool has_room() const { return used_ < evictions_.size(); }
  /// Adds an eviction in state kTerminating; nullptr if the table is full.
  [[nodiscard]] Eviction* add(KillTarget& target, Duration grace, MonoTime now);
  /// Sets the state of `eviction` from `adoption`.
  static void place(Eviction& eviction, const Adoption& adoption);
  /// Forgets an eviction without a step (no process was signalled).
  void drop(Eviction& eviction);

  [[nodiscard]] Eviction* find(Ticket ticket);
  /// By the pod's UID, whatever cgroup it has.
  [[nodiscard]] Eviction* find_pod(const KillTarget& target);
  /// Of that pod in that very cgroup.
  [[nodiscard]] Eviction* find_same(const KillTarget& target);
  [[nodiscard]] Eviction* find_cgroup(CgroupId cgroup);
  [[nodiscard]] std::span<Eviction> all() { return evictions_; }

  /// Brings the end of the grace period forward, and with it the time to give up; never back.
  static void cut_grace(Eviction& eviction, MonoTime deadline, MonoTime now);
  /// Postpones a due SIGKILL that reached no process. False after kLeastTimeToEnd, or once the
  /// grace counts as exceeded if that is later.
  [[nodiscard]] static bool put_off(Eviction& eviction, MonoTime now);
  /// The earliest time at which an eviction is due.
  [[nodiscard]] std::optional<MonoTime> next_deadline() const;

  /// The time of these two is that of the last signal, which is later than the call's `now`. `now`
  /// counts only if no process was seen to be signalled.
  void mark_terminating(Eviction& eviction, const SignalReport& signals, MonoTime now);
  void mark_killed(Eviction& eviction, const SignalReport& signals, MonoTime now);
  void mark_exceeded(Eviction& eviction, MonoTime at);
  /// The same for an eviction without SIGKILL: see Progress::not_killed.
  void mark_not_killed(Eviction& eviction, std::string_view why, MonoTime at);
  /// Ends the eviction: unpins the target and forgets the ticket.
  void mark_released(Eviction& eviction, MonoTime at);

  [[nodiscard]] std::optional<Progress> take_progress();
  [[nodiscard]] std::size_t in_flight(std::span<InFlight> out) const;

 private:
  void report(const Eviction& eviction, const SignalReport& signals, MonoTime at,
              std::string_view not_killed = {});

  std::vector<Eviction> evictions_;
  /// Those in use. None, as a rule: then no call walks the table.
  std::size_t used_ = 0;
  /// A ring with room for every step of every eviction.
  std::vector<Progress> steps_;
  std::size_t first_step_ = 0;
  std::size_t step_count_ = 0;
  std::uint32_t next_generation_ = 1;
};

}  // namespace evictd::enforce
