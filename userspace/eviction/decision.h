// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "eviction/local_storage.h"
#include "eviction/observation.h"
#include "eviction/reclaim.h"
#include "eviction/signal.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// How a pass ended.
enum class Outcome : std::uint8_t {
  kNothingMet,
  kInGrace,     ///< Thresholds are met, but none for its whole grace period.
  kStale,       ///< The statistics of the met thresholds are not newer than in the last pass.
  kReclaiming,  ///< Collectors must run first; resume() continues the pass.
  kReclaimed,   ///< The collectors freed enough: no pod is evicted.
  /// No active pod would free anything: there are no pods, only cgroups unknown to every pod source
  /// or, for a limit of the pod root, only pods outside it.
  kNoCandidates,
  kAllProtected,  ///< There are pods, but none may be evicted.
  kEvicted,
  /// A pod is evicted while memory.available is above its threshold, because the kernel's reserve
  /// would have run out; see eviction/forecast.h.
  kOomGuard,
  kEscalated,  ///< A victim's grace period is shortened; see Decision::grace.
  kHeld,       ///< The eviction waits for an earlier victim's resources, or a brake holds it.
  kFailed,     ///< Statistics or the disk layout could not be read.
};

/// "nothing_met", "in_grace" and so on.
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// Quality of the disk usage by which a pod was chosen.
enum class DiskBasis : std::uint8_t {
  kMeasured,   ///< All pods were measured, or the choice does not depend on disk usage.
  kCertain,    ///< Some measurements are incomplete, but the rest cannot change the choice.
  kBestKnown,  ///< There was no time to measure all pods: another one may use more.
};

/// "measured", "certain", "best_known".
[[nodiscard]] std::string_view to_string(DiskBasis basis);

/// Which pods a threshold may choose while killed victims still hold memory; see
/// eviction/left_behind.h.
enum class Choice : std::uint8_t {
  kAnybody,
  kNobody,  ///< The pass waits for that memory, as long as for a release.
  kGrower,  ///< It waits, but live pods take the rest: only the pod that has grown most.
  /// The wait is over, and the held memory exceeds what is missing: only pods that use more than
  /// their request.
  kAboveRequest,
};

/// "anybody", "nobody", "grower", "above_request".
[[nodiscard]] std::string_view to_string(Choice choice);

/// Why a pass failed or held.
enum class Reason : std::uint8_t {
  kNone,
  kNoStatistics,
  kNoLayout,
  /// Resources that earlier victims are freeing would satisfy the threshold, or the pass waits for
  /// memory that killed victims still hold.
  kReleasePending,
  kVictimInGrace,   ///< An earlier victim is still within its grace period.
  kCollectorsBusy,  ///< Collectors of an earlier pass are running.
  kUsagePending,    ///< The disk usage of pods is being measured.
  kLeftBehind,      ///< Killed pods hold more than is missing, and no pod exceeds its request.
  // Brakes; see eviction/brakes.h.
  kPaused,           ///< An operator paused evictions.
  kEvictionRate,     ///< maxEvictionsPerMinute is reached.
  kNoCapacity,       ///< Observed: a capacity of zero or less.
  kAboveCapacity,    ///< Observed: more available than the capacity.
  kUnexplainedJump,  ///< Observed: usage grew faster than the machine allows.
  kStatisticsStuck,  ///< Observed: not a byte changed after a victim's memory was freed.
};
inline constexpr std::size_t kReasonCount = 14;

/// "no_statistics", "paused" and so on; "" for kNone.
[[nodiscard]] std::string_view to_string(Reason reason);
/// Whether `reason` is a brake.
[[nodiscard]] constexpr bool is_brake(Reason reason) {
  return reason >= Reason::kPaused;
}
/// `reason` as text for people; "" for kNone.
[[nodiscard]] std::string_view describe(Reason reason);

/// The decision of a pass: at most one victim for node pressure, or any number for local storage.
/// Places are indices into ThresholdTable and PassInput::pods.
struct Decision {
  Outcome outcome = Outcome::kNothingMet;
  Reason reason = Reason::kNone;
  /// Reported conditions after the pass, hysteresis included.
  ConditionSet conditions;
  /// Met now, or met before with the minimum reclaim not yet reached.
  ThresholdList met;
  /// The thresholds in `met` that have been met for their grace period.
  ThresholdList past_grace;
  /// The thresholds in `past_grace` with fresh statistics, in the order of action.
  ThresholdList actionable;
  /// The threshold acted on.
  std::optional<std::size_t> threshold;
  std::optional<std::size_t> victim;
  /// Some threshold found no pod to evict, even if another one found one or waits.
  bool nobody_to_evict = false;
  /// Some threshold waits for the disk usage of pods, even if the outcome is about another one.
  bool usage_awaited = false;
  DiskBasis disk_basis = DiskBasis::kMeasured;
  /// For the threshold acted on.
  Choice choice = Choice::kAnybody;
  /// The brake that was overruled because less than the floor is left; kNone if none was on.
  Reason overruled = Reason::kNone;
  /// The victim's time between SIGTERM and SIGKILL.
  std::chrono::milliseconds grace{0};
  /// The grace period without any cut; equals `grace` if it was not cut.
  std::chrono::milliseconds grace_wanted{0};
  /// How long the available resource would last; `grace` was cut to it. Unset if unknown, or if no
  /// grace period was to be given.
  std::optional<std::chrono::milliseconds> time_left;
  /// The OOM guard is due: hard thresholds of memory.available count as met.
  bool oom_guard = false;
  /// Thresholds that are met only because of the OOM guard.
  ThresholdList guarded;
  /// `grace` is the kubelet's, but less than the floor is left already: another pass must follow at
  /// once and cut it.
  bool cut_at_once = false;
  /// Run these in order, then call resume(). Set only with kReclaiming.
  CollectorList collectors;
  std::vector<LocalStorageVictim> local_victims;
  /// Input of the decision; after resume(), the observations before the collectors ran.
  Observations observations;
  /// When a grace period, a transition period or a hold ends without an event.
  std::optional<MonoTime> next_deadline;
  /// The watched usage levels must be recomputed (the kubelet's rule: every 10 s).
  bool refresh_watch_points = false;
  /// This pass determined the disk layout; containerfs thresholds are derived from now on.
  bool learnt_layout = false;
};

}  // namespace evictd::eviction
