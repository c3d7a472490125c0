// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "evictd/result.h"
#include "eviction/compat.h"
#include "eviction/decision.h"
#include "eviction/grace_policy.h"
#include "eviction/hold.h"
#include "eviction/pass.h"
#include "eviction/pass_state.h"
#include "eviction/rank.h"
#include "eviction/verdict.h"

namespace evictd::eviction {

/// If less than this is available, a victim in its hard grace period is killed at once.
struct HardFloor {
  /// Set for an absolute value in the signal's unit; unset for a share of the threshold.
  std::optional<std::int64_t> amount;
  double percent_of_threshold = 50;
};

/// Configuration of a pass.
struct PassSettings {
  std::vector<Threshold> thresholds;
  Compat compat = Compat::k1_32;
  /// How long a condition is still reported after it was last observed.
  Duration pressure_transition_period = std::chrono::minutes(5);
  /// Longest grace of a soft eviction.
  std::chrono::seconds max_pod_grace{0};
  /// Grace of a hard eviction; unset: 0 s in 1.26, 1 s in 1.32.
  std::optional<std::chrono::seconds> hard_grace;
  GracePolicy hard_grace_policy = GracePolicy::kPredicted;
  HardFloor hard_floor;
  /// Whether a hard threshold of memory.available counts as met when the kernel's reserve is about
  /// to run out. Without a known reserve it has no effect.
  bool oom_guard = true;
  /// Whether limits on local storage are enforced.
  bool local_storage_isolation = false;
  /// Whose process ids pid.available counts.
  Scope pid_scope = Scope::kNode;
};

/// Decides, one pass at a time, whether to evict a pod and which. Pure: no clock, no I/O; equal
/// state, settings, inputs and times give equal decisions. Not thread-safe. Keeps its scratch
/// memory: a pass allocates nothing once an earlier pass had as many pods.
class EvictionManager {
 public:
  /// Errors: kInvalid for too many thresholds.
  [[nodiscard]] static Result<EvictionManager> create(PassSettings settings);

  /// Runs one pass, in the kubelet's order. If the outcome is kReclaiming, run the collectors and
  /// call resume(); passes in between still act on memory and pids.
  /// The decision stays valid until the next call.
  const Decision& synchronize(MonoTime now, const PassInput& input);

  /// Completes a pass whose collectors have run. `input` has the current pods and the observations
  /// made after the collectors ran, null if these failed.
  const Decision& resume(MonoTime now, const PassInput& input);

  /// What synchronize() would decide, as a question: the state, the decision and a suspended pass
  /// stay as they are. kFailed until a pass has determined the disk layout. Valid until the next
  /// such question. Cost: a pass.
  [[nodiscard]] const Decision& would_decide(MonoTime now, const PassInput& input);

  /// A pass after the kernel side has killed the pod at place `victim` for the threshold at place
  /// `threshold`: it observes as usual, and its decision is that one, without a grace period.
  const Decision& adopt_kill(MonoTime now, const PassInput& input, std::size_t threshold,
                             std::size_t victim);

  /// The decision of the last pass.
  [[nodiscard]] const Decision& decision() const { return decision_; }
  [[nodiscard]] const PassSettings& settings() const { return settings_; }
  /// The thresholds in force; derived ones are added when the disk layout is determined.
  [[nodiscard]] const ThresholdTable& thresholds() const { return table_; }
  [[nodiscard]] const PassState& state() const { return state_; }
  /// Whether a pass is suspended and resume() is due.
  [[nodiscard]] bool waits_for_collectors() const { return suspended_.has_value(); }
  [[nodiscard]] const std::optional<SuspendedPass>& suspended() const { return suspended_; }
  /// The level of the signal, in its unit, below which a victim of the threshold at `place` loses
  /// its hard grace period.
  [[nodiscard]] Wide floor_of(std::size_t place, std::int64_t capacity) const;
  /// Whether the OOM guard is on for the threshold at `place`: a hard one of memory.available.
  [[nodiscard]] bool has_guard_at(std::size_t place) const;
  /// Whether the OOM guard is on for any threshold.
  [[nodiscard]] bool has_guard() const;
  /// Whether the threshold at `place` counts as met because the guard is due, regardless of the
  /// available value.
  [[nodiscard]] bool guard_meets(std::size_t place, const Observation& seen) const;
  /// The scope of the limit that the threshold at `place` watches.
  [[nodiscard]] Scope scope_at(std::size_t place) const {
    return scope_of(table_[place].signal, settings_.pid_scope);
  }
  /// Restores a saved state of this manager or of one with the same settings, and the pass that
  /// waited for collectors then, if it is to continue. Ignores places without a threshold.
  void restore(const PassState& state, const std::optional<SuspendedPass>& suspended = {});
  /// Takes over what stays valid after a change of configuration: timers and memory of equal
  /// thresholds, conditions, layout. Everything else is reset.
  void inherit(const EvictionManager& before);

 private:
  explicit EvictionManager(PassSettings settings) : settings_(std::move(settings)) {}

  void begin_decision();
  void learn_layout(const DiskLayout& layout);
  void derive_thresholds();
  [[nodiscard]] ThresholdList known_places(const ThresholdList& places) const;
  void update_state(MonoTime now, const PassInput& input, const ThresholdList& looked_for);
  [[nodiscard]] Verdict find_local_victims(MonoTime now, const PassInput& input,
                                           std::vector<LocalStorageVictim>& found) const;
  void act(MonoTime now, const PassInput& input);
  void try_threshold(MonoTime now, const PassInput& input, std::size_t place);
  [[nodiscard]] bool may_pass_on(const PassInput& input, std::size_t place) const;
  [[nodiscard]] RankRule rule_at(std::size_t place) const;
  [[nodiscard]] HoldQuestion hold_question(std::size_t place, const Observation& seen) const;
  [[nodiscard]] Verdict judge(MonoTime now, const PassInput& input, std::size_t place);
  void settle(const Verdict& verdict);
  [[nodiscard]] Verdict await_release(MonoTime now, const PassInput& input, std::size_t place);
  [[nodiscard]] std::optional<EvictionMark>& mark_of(std::size_t place);
  [[nodiscard]] Verdict cut_below_floor(const PassInput& input, std::size_t place) const;
  [[nodiscard]] Reason nonsense(const PassInput& input, std::size_t place) const;
  void keep_doubtful(const PassInput& input);
  void report_nonsense(MonoTime now, const PassInput& input);
  void doubt(MonoTime now, const PassInput& input);
  [[nodiscard]] Verdict brake(MonoTime now, const PassInput& input, std::size_t place) const;
  [[nodiscard]] Verdict limit_rate(MonoTime now, const PassInput& input, std::size_t place) const;
  void suspend(std::size_t place, const CollectorList& collectors);
  void choose_victim(MonoTime now, const PassInput& input, std::size_t place);
  [[nodiscard]] Choice choice_at(MonoTime now, const PassInput& input, std::size_t place) const;
  void report_no_victim(MonoTime now, const PassInput& input, std::size_t place);
  [[nodiscard]] std::optional<DiskBasis> disk_basis(const PassInput& input,
                                                    std::size_t place) const;
  void forget_marks(Signal signal);
  [[nodiscard]] static std::optional<MonoTime> next_floor_look(MonoTime now,
                                                               const Observation& seen);
  void update_guard(MonoTime now, const Observations& seen);
  [[nodiscard]] ThresholdList without_guarded(const ThresholdList& places) const;
  void give_grace(std::size_t place, const PodFacts& victim);
  /// Whether so little is left that a victim of a hard threshold gets no more time.
  [[nodiscard]] bool below_floor(std::size_t place, const Observation& seen) const;
  /// Whether the threshold at `place` is acted on because of the guard alone.
  [[nodiscard]] bool is_guarded(std::size_t place) const { return decision_.guarded.has(place); }
  [[nodiscard]] std::chrono::seconds hard_grace() const;
  [[nodiscard]] std::chrono::seconds grace_for(const Threshold& threshold,
                                               const PodFacts& victim) const;
  void add_deadline(const std::optional<MonoTime>& at);
  void find_deadlines(MonoTime now);

  PassSettings settings_;
  ThresholdTable table_;
  PassState state_;
  Decision decision_;
  Decision hypothesis_;  ///< The last answer of would_decide().
  std::optional<SuspendedPass> suspended_;
  /// Why each signal's observation of this pass is doubtful.
  std::array<Reason, kSignalCount> doubts_{};
};

}  // namespace evictd::eviction
