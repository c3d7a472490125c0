// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "enforce/actuator.h"
#include "enforce/eviction_table.h"
#include "enforce/process_signaller.h"
#include "enforce/release_watch.h"

namespace evictd::enforce {

/// Ends pods through their cgroups: cgroup.kill on v2, pidfds on v1 with pids.max set to 0 first.
/// docs/killing.md says what it guarantees and why.
class CgroupActuator final : public Actuator {
 public:
  struct Options {
    /// Borrowed; stamps the signals.
    const core::Clock* clock = nullptr;
    /// PodRoot::id() of every root below which a target may lie.
    std::vector<CgroupId> roots{};
    /// Evictions under way at a time.
    std::size_t capacity = 64;
    /// pidfds open at a time while a pod is signalled; larger pods take several rounds. Half of the
    /// descriptors that an ordinary service may open.
    std::size_t batch = 512;
    /// Processes listed at a time; larger pods take several rounds.
    std::size_t max_processes = 16384;
    /// Processes whose end is awaited at a time.
    std::size_t max_watched = 256;
  };

  /// Errors: what epoll_create says; kInvalid without a clock.
  [[nodiscard]] static Result<std::unique_ptr<CgroupActuator>> create(Options options);

  using Actuator::begin;
  [[nodiscard]] Result<SignalReport> begin(KillTarget& target, const Start& start,
                                           MonoTime now) override;
  [[nodiscard]] Result<Ticket> adopt(KillTarget& target, const Adoption& adoption,
                                     MonoTime now) override;
  void rehearse(KillTarget& target) override;
  void end_rehearsal() override;
  void practise() override;
  [[nodiscard]] Result<SignalReport> cut_grace(Ticket ticket, MonoTime deadline,
                                               MonoTime now) override;
  [[nodiscard]] std::optional<MonoTime> next_deadline() const override;
  void on_deadline(MonoTime now) override;
  [[nodiscard]] int descriptor() const override;
  void on_ready(MonoTime now) override;
  void on_emptied(CgroupId cgroup, MonoTime now) override;
  [[nodiscard]] std::optional<Progress> take_progress() override;
  [[nodiscard]] std::size_t in_flight(std::span<InFlight> out) const override;
  void replace(KillTarget& newer) override;
  void use_roots(std::vector<CgroupId>& roots) override { options_.roots.swap(roots); }
  [[nodiscard]] const ActuatorCounters& counters() const override { return counters_; }

 private:
  /// How often a killed pod is looked at without an event. Events bring the news; this only makes
  /// sure that a missed one cannot leave a process alive.
  static constexpr Duration kLookAgain = std::chrono::milliseconds{100};
  /// The same while it is known that not every process could be signalled.
  static constexpr Duration kLookSoon = std::chrono::milliseconds{1};

  explicit CgroupActuator(Options options, ReleaseWatch watch);

  /// Remembers what an earlier process of ours has made of the pod's pids.max.
  void take_over_hold(KillTarget& target, const Adoption& adoption);
  /// Opens what should be open already, if it is not.
  void prepare(KillTarget& target);
  /// Why nobody was sent a signal: nobody was there, or calls have failed since there were
  /// `failed_before` of them, in which case the pod may well live.
  [[nodiscard]] Failure no_process_signalled(std::uint64_t failed_before) const;
  [[nodiscard]] Protection protection_of(const KillTarget& target) const;
  [[nodiscard]] Failure refuse(Protection protection);
  /// The same for a pod that was found to hold evictd or pid 1, which the target remembers.
  [[nodiscard]] Failure refuse_own(KillTarget& target);
  [[nodiscard]] Result<SignalReport> terminate(Eviction& eviction, bool hold_tasks, MonoTime now);
  [[nodiscard]] Result<SignalReport> kill(Eviction& eviction, MonoTime now);
  /// SIGKILL at the end of a grace, or the end of the eviction where it may not be.
  void kill_at_deadline(Eviction& eviction, MonoTime now);
  /// SIGKILL to a pod of which nothing was foreseen. False as in send_kill().
  [[nodiscard]] Result<bool> list_and_kill(KillTarget& target, SignalReport& report);
  /// Sends SIGKILL to what is listed and to whoever else is there, by the best way there is.
  /// False: there may be processes that were not reached.
  bool send_kill(KillTarget& target, SignalReport& report);
  /// Sees whether the pod is empty; if it should be and is not, kills what is there.
  void look(Eviction& eviction, MonoTime now);
  void look_at_rest(Eviction& eviction, const ProcessList& rest, MonoTime now);
  void release(Eviction& eviction, MonoTime now);
  /// The pod may fork as before: its last process is gone, or it lives on.
  void give_forks_back(const Eviction& eviction);
  /// Forgets the eviction, released or not.
  void unwatch(const Eviction& eviction);

  Options options_;
  ActuatorCounters counters_;
  EvictionTable table_;
  ReleaseWatch watch_;
  ProcessSignaller signaller_;
};

}  // namespace evictd::enforce
