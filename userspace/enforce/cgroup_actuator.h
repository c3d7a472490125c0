// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "enforce/actuator.h"
#include "enforce/eviction_table.h"
#include "enforce/pod_files.h"
#include "enforce/process_signaller.h"
#include "enforce/release_watch.h"

namespace evictd::enforce {

/// Kills pods through their cgroups: cgroup.kill on v2; on v1 pids.max = 0, then pidfds.
/// docs/killing.md states and explains its guarantees.
class CgroupActuator final : public Actuator {
 public:
  struct Options {
    /// Borrowed; stamps the signals.
    const core::Clock* clock = nullptr;
    /// PodRoot::id() of every root that may have targets.
    std::vector<CgroupId> roots{};
    /// Most evictions in progress.
    std::size_t capacity = 64;
    /// Most pidfds open while a pod is signalled; larger pods take several rounds. Half of the
    /// descriptors that an ordinary service may open.
    std::size_t batch = 512;
    /// Most processes listed at a time; larger pods take several rounds.
    std::size_t max_processes = 16384;
    /// Most processes whose exit is watched at a time.
    std::size_t max_watched = 256;
  };

  /// Errors: those of epoll_create(2); kInvalid without a clock.
  [[nodiscard]] static Result<std::unique_ptr<CgroupActuator>> create(Options options);
  CgroupActuator(const CgroupActuator&) = delete;
  CgroupActuator& operator=(const CgroupActuator&) = delete;
  /// Ends the bridges: nobody would end them afterwards.
  ~CgroupActuator() override;

  using Actuator::begin;
  [[nodiscard]] Result<SignalReport> begin(KillTarget& target, const Start& start,
                                           MonoTime now) override;
  [[nodiscard]] Result<Ticket> adopt(KillTarget& target, const Adoption& adoption,
                                     MonoTime now) override;
  void rehearse(KillTarget& target) override;
  void end_rehearsal() override;
  [[nodiscard]] std::size_t rehearsed(const KillTarget& target,
                                      std::span<pid_t> out) const override;
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
  /// Period of checks of a killed pod without events. Normally events report its end; this only
  /// ensures that a missed event cannot leave a process alive.
  static constexpr Duration kLookAgain = std::chrono::milliseconds{100};
  /// The same while some process could not be signalled.
  static constexpr Duration kLookSoon = std::chrono::milliseconds{1};

  explicit CgroupActuator(Options options, ReleaseWatch watch);

  /// Remembers how an earlier evictd process changed the pod's pids.max.
  void take_over_hold(KillTarget& target, const Adoption& adoption);
  /// Opens the descriptors that are not open yet.
  void prepare(KillTarget& target);
  /// Why no process was signalled: the pod has none, or calls have failed since the counter was
  /// `failed_before`; the pod may then be alive.
  [[nodiscard]] Failure no_process_signalled(std::uint64_t failed_before) const;
  [[nodiscard]] Protection protection_of(const KillTarget& target) const;
  [[nodiscard]] Failure refuse(Protection protection);
  /// The same for a pod that holds evictd or pid 1; the target remembers it.
  [[nodiscard]] Failure refuse_own(KillTarget& target);
  [[nodiscard]] Result<SignalReport> terminate(Eviction& eviction, const Start& start,
                                               MonoTime now);
  /// `pids_max`, `killed_by_kernel_at`: as Start.
  [[nodiscard]] Result<SignalReport> kill(
      Eviction& eviction, MonoTime now, const std::optional<PidsMax>& pids_max = std::nullopt,
      std::optional<MonoTime> killed_by_kernel_at = std::nullopt);
  /// No process can be signalled now, but the kernel side has begun the kill: tries again as at the
  /// end of a grace period.
  [[nodiscard]] static SignalReport finish_later(Eviction& eviction, MonoTime killed_by_kernel_at,
                                                 MonoTime now);
  /// Sends SIGKILL at the end of a grace period, or ends the eviction if it must not.
  void kill_at_deadline(Eviction& eviction, MonoTime now);
  /// Sends SIGKILL to a pod without a rehearsal. Returns as send_kill().
  [[nodiscard]] Result<bool> list_and_kill(KillTarget& target, SignalReport& report,
                                           std::optional<MonoTime> killed_by_kernel_at);
  /// Sends SIGKILL to the listed processes and all others of the pod, by the best available method.
  /// False: some processes may not have been reached.
  bool send_kill(KillTarget& target, SignalReport& report);
  /// Checks whether the pod is empty; kills what is left if it should be.
  void look(Eviction& eviction, MonoTime now);
  void look_at_rest(Eviction& eviction, const ProcessList& rest, MonoTime now);
  void release(Eviction& eviction, MonoTime now);
  /// Lets the pod fork as before: its last process is gone, or it lives on.
  void give_forks_back(const Eviction& eviction);
  [[nodiscard]] BridgeReport set_bridge(KillTarget& target);
  /// Gives the pod its memory.high back, if it was lowered.
  void end_bridge(KillTarget& target);
  /// Forgets the eviction, released or not.
  void unwatch(const Eviction& eviction);

  Options options_;
  ActuatorCounters counters_;
  EvictionTable table_;
  ReleaseWatch watch_;
  ProcessSignaller signaller_;
};

}  // namespace evictd::enforce
