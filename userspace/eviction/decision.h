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
  kInGrace,     ///< Thresholds are met, none for as long as its grace period.
  kStale,       ///< Their statistics are not newer than in the last pass.
  kReclaiming,  ///< Collectors have to run first; resume() goes on.
  kReclaimed,   ///< The collectors freed enough: nobody has to die.
  /// There is no active pod that would free anything: none at all, only what no source of pods
  /// knows or, for a limit of the pod root's own, only pods outside it.
  kNoCandidates,
  kAllProtected,  ///< There are pods, and none of them may be evicted.
  kEvicted,
  /// The same, for memory.available that is above its threshold: what the kernel itself can still
  /// give would have run out; see eviction/forecast.h.
  kOomGuard,
  kEscalated,  ///< A victim in its grace has less time from now on; see Decision::grace.
  kHeld,       ///< An earlier victim's resources are awaited, or a brake is on.
  kFailed,     ///< Statistics or the disk layout could not be read.
};

/// "nothing_met", "in_grace" and so on.
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// By what disk usage a pod was chosen.
enum class DiskBasis : std::uint8_t {
  kMeasured,  ///< All pods were measured, or the disk was not the reason.
  kCertain,   ///< Not all were measured to their end, and what is missing cannot change the choice.
  kBestKnown,  ///< There was no time to measure all: another one may have more.
};

/// "measured", "certain", "best_known".
[[nodiscard]] std::string_view to_string(DiskBasis basis);

/// Whom a threshold may choose beside the memory that dead victims have left behind; see
/// eviction/left_behind.h.
enum class Choice : std::uint8_t {
  kAnybody,
  kNobody,  ///< It is awaited, for as long as a release is.
  kGrower,  ///< It is awaited, and somebody alive takes what is left: only who has grown most.
  /// It was awaited for long enough, and is more than what is missing: only who uses more than it
  /// requests.
  kAboveRequest,
};

/// "anybody", "nobody", "grower", "above_request".
[[nodiscard]] std::string_view to_string(Choice choice);

/// Why a pass failed or held.
enum class Reason : std::uint8_t {
  kNone,
  kNoStatistics,
  kNoLayout,
  /// What earlier victims are freeing would satisfy the threshold, or memory that dead ones have
  /// left behind is awaited.
  kReleasePending,
  kVictimInGrace,   ///< An earlier victim has not used up its grace.
  kCollectorsBusy,  ///< Collectors of an earlier pass are running.
  kUsagePending,    ///< The disk usage of pods is being measured.
  kLeftBehind,      ///< Dead pods hold more than is missing, and nobody uses more than it requests.
  // Brakes; see eviction/brakes.h.
  kPaused,           ///< Somebody asked for a pause.
  kEvictionRate,     ///< As many as a minute may have were begun.
  kNoCapacity,       ///< Observed: a capacity of zero or less.
  kAboveCapacity,    ///< Observed: more available than there is.
  kUnexplainedJump,  ///< Observed: use grew faster than the machine can make it grow.
  kStatisticsStuck,  ///< Observed: to the byte what it was before a victim's memory was freed.
};
inline constexpr std::size_t kReasonCount = 14;

/// "no_statistics", "paused" and so on; "" for kNone.
[[nodiscard]] std::string_view to_string(Reason reason);
/// Whether it is one of the brakes on ourselves.
[[nodiscard]] constexpr bool is_brake(Reason reason) {
  return reason >= Reason::kPaused;
}
/// The same in words, for a person; "" for kNone.
[[nodiscard]] std::string_view describe(Reason reason);

/// What a pass decided. At most one victim for node pressure, or any number for local storage.
/// Places are places in ThresholdTable and in PassInput::pods.
struct Decision {
  Outcome outcome = Outcome::kNothingMet;
  Reason reason = Reason::kNone;
  /// Reported conditions after the pass, hysteresis included.
  ConditionSet conditions;
  /// Met now, or met before and minimum reclaim not reached.
  ThresholdList met;
  /// Of those: met for their grace period.
  ThresholdList past_grace;
  /// Of those: with fresh statistics, in the order in which we act.
  ThresholdList actionable;
  /// The one acted on.
  std::optional<std::size_t> threshold;
  std::optional<std::size_t> victim;
  /// Some threshold found nobody to evict, also if another one did or waits.
  bool nobody_to_evict = false;
  /// Some threshold waits for the disk usage of pods, also if the outcome is about another one.
  bool usage_awaited = false;
  DiskBasis disk_basis = DiskBasis::kMeasured;
  /// Of the threshold acted on.
  Choice choice = Choice::kAnybody;
  /// The brake that would have held this eviction, had less than the floor not been left; kNone if
  /// none was on.
  Reason overruled = Reason::kNone;
  /// What the victim is given between SIGTERM and SIGKILL.
  std::chrono::milliseconds grace{0};
  /// What it would have been given, had there been time; as `grace` where nothing was cut.
  std::chrono::milliseconds grace_wanted{0};
  /// For how long what is left would last, which `grace` was cut to; unset where nothing is known
  /// of it, and where none was to be given.
  std::optional<std::chrono::milliseconds> time_left;
  /// The OOM guard is due: hard thresholds of memory.available count as met.
  bool oom_guard = false;
  /// Those that are met for no other reason.
  ThresholdList guarded;
  /// That is what the kubelet gives, but less than the floor is left already: another pass is to
  /// follow at once and cut it.
  bool cut_at_once = false;
  /// Run these in order, then call resume(). Set with kReclaiming only.
  CollectorList collectors;
  std::vector<LocalStorageVictim> local_victims;
  /// What the decision was made from; after resume(), what was seen before the collectors ran.
  Observations observations;
  /// When something happens without any event: a grace or a transition period or a hold ends.
  std::optional<MonoTime> next_deadline;
  /// It is time to recompute usage levels that are watched (the kubelet's rule: 10 s).
  bool refresh_watch_points = false;
  /// The disk layout was learnt in this pass; containerfs thresholds are derived from now on.
  bool learnt_layout = false;
};

}  // namespace evictd::eviction
