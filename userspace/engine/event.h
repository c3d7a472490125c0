// SPDX-License-Identifier: Apache-2.0
// Events: the input of the engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "engine/configuration.h"
#include "engine/operator_wishes.h"
#include "engine/pass_trigger.h"
#include "engine/pod_view.h"
#include "engine/victim.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/ticket.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "eviction/pass.h"
#include "eviction/statistics.h"

namespace evictd::engine {

// Events of the node, and requests. Each may come at any time except between a question of the
// engine (see effect.h) and its answer.

/// The caller woke up: a turn begins. The pending events follow.
struct Woken {
  MonoTime at{};
};
/// The caller has sent all pending events. The engine now does what is due in this turn.
struct Turn {
  /// Request time of the oldest of the filesystems' newest readings; unset while one is missing.
  std::optional<MonoTime> disks_asked_at;
};
/// A pod takes its slot; it replaces the slot's previous pod.
struct PodPlaced {
  PodView pod;
};
struct PodRemoved {
  std::uint32_t slot = 0;
};
/// The new configuration. It must outlive its use; the previous one may be destroyed afterwards.
struct ConfigurationChanged {
  Configuration* configuration = nullptr;
};
struct WishesChanged {
  OperatorWishes wishes;
};
/// Requests a pass now.
struct PassRequested {
  PassTrigger trigger = PassTrigger::kRequest;
};
/// A source of events stopped or resumed pushing: a pass is due now.
struct SourceChanged {};
/// An eviction of an earlier evictd is in progress in a pod, which may be gone by now.
struct EvictionFound {
  CgroupId pod;
  /// kReleased if none of its processes is left.
  VictimPhase phase = VictimPhase::kKilled;
  MonoTime killed_at{};
  /// The pod dies for another reason: evictd waits for it without signalling.
  bool observed_only = false;
  /// Nobody was signalled: a dry run had chosen it.
  bool dry_run = false;
  bool holds_disk = false;
  bool hold_tasks = false;
  /// Current usage of the pod.
  CgroupUsage usage;
};
/// Result of MeasurePods. `under_way`: partial; some pods are missing or incomplete.
struct PodsMeasured {
  std::uint64_t round = 0;
  bool under_way = false;
};
/// The collectors of RunCollectors have finished.
struct CollectorsDone {
  std::uint64_t round = 0;
};
/// A victim's disk space is free, or the wait for it is over.
struct FilesReleased {
  CgroupId pod;
};
/// The scan of ScanPods has finished. Events for its findings were sent before.
struct PodsScanned {
  std::uint64_t round = 0;
};
/// The kernel side saw a crossing of the threshold at place `threshold`, or its recovery.
struct Crossed {
  std::size_t threshold = 0;
  bool recovered = false;
  MonoTime at{};
};
/// The kernel side saw a value grow fast towards its threshold.
struct Approached {
  eviction::Scope scope = eviction::Scope::kNode;
  /// Time to the threshold at the current rate.
  Duration away{0};
  /// Bytes a second; 0: unknown.
  std::int64_t rate = 0;
  /// Whether the caller may busy-wait for it.
  bool may_stand_by = false;
};
/// The kernel side saw a pod stall on memory.
struct Stalled {};
/// A cgroup got its first live process.
struct Populated {
  CgroupId pod;
  MonoTime at{};
};
/// The kernel's OOM killer acted first.
struct OomKilled {};
/// Events about pods were lost. `passes`: a crossing may have been missed.
struct EventsLost {
  bool passes = false;
};
/// The stand-by is over. `rehearsal_holds`: the last rehearsal fits the last Approached.
struct StandByOver {
  bool rehearsal_holds = false;
};

/// A step of an eviction.
struct VictimStep {
  enum class What : std::uint8_t { kTerminating, kKilled, kExceededGrace, kReleased };

  CgroupId pod;
  What what = What::kTerminating;
  MonoTime at{};
  /// The step comes from the dry-run actuator.
  bool dry_run = false;
  /// With kExceededGrace: evictd sent no SIGKILL, so the pod lives, or what the kernel side left.
  bool spared = false;
  /// Current usage; without numbers once its cgroup is gone.
  CgroupUsage usage;
  /// Bytes still charged to it; -1 once its cgroup is gone.
  Bytes charged{-1};
};

// Answers to questions of the engine.

/// Reading of one of Engine::followed(), whether it takes part in the pass or not.
struct FollowedPod {
  CgroupUsage usage;
  /// Its last measured disk usage; nullptr without one.
  const eviction::DiskReading* disk = nullptr;
};
/// Answer to Read. Borrowed data stays valid and unchanged until the pass has ended.
struct ReadingsTaken {
  /// nullptr: they could not be read.
  const eviction::Observations* observations = nullptr;
  /// The pods of the pass, in order. The engine fills in `standing` and `grown`.
  std::span<eviction::PassPod> pods;
  /// Their slots and readings, parallel to `pods`.
  std::span<const std::uint32_t> slots;
  std::span<const CgroupUsage> usages;
  /// Readings of Engine::followed(), parallel to it.
  std::span<const FollowedPod> followed;
  std::optional<MonoTime> disks_asked_at;
  /// By Signal: when its filesystem is full at the last rate.
  std::array<std::optional<MonoTime>, eviction::kSignalCount> full_at{};
};
/// Answer to LookAgain: the data behind ReadingsTaken is refreshed.
struct LookedAgain {
  /// Longest time until the next pass: values that the kernel side does not watch may change.
  Duration next_look{0};
};
/// Answer to Signal and to CutGrace.
struct Signalled {
  /// Why no process was signalled; unset on success.
  std::optional<Errc> refused;
  Ticket ticket;
  /// When the last process was signalled.
  MonoTime last_at{};
};
/// Answer to ReadVictim.
struct VictimRead {
  CgroupId pod;
  /// Without numbers once its cgroup is gone.
  CgroupUsage usage;
};
/// Answer to DisarmBackstop: when the kernel side signalled the victim; unset if it did not.
struct BackstopTaken {
  std::optional<MonoTime> fired_at;
};
/// Answer to ScanPods. Not `asked`: the scan could not be requested; the known list must do.
struct ScanAsked {
  bool asked = false;
};
/// Answer to GoOnWith.
struct WentOn {
  std::optional<Errc> refused;
  Ticket ticket;
};

using Event = std::variant<Woken, Turn, PodPlaced, PodRemoved, ConfigurationChanged, WishesChanged,
                           PassRequested, SourceChanged, EvictionFound, PodsMeasured,
                           CollectorsDone, FilesReleased, PodsScanned, Crossed, Approached, Stalled,
                           Populated, OomKilled, EventsLost, StandByOver, VictimStep, ReadingsTaken,
                           LookedAgain, Signalled, VictimRead, ScanAsked, WentOn, BackstopTaken>;

}  // namespace evictd::engine
