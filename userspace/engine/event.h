// SPDX-License-Identifier: Apache-2.0
// What the engine is told.
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

// What happens on the node, and what others ask for. Each may come at any time but between a
// question of the engine (see effect.h) and its answer.

/// The caller was woken: a turn begins. What it has to tell comes now.
struct Woken {
  MonoTime at{};
};
/// The caller has told all that it knows. What is due in this turn is done in answer to this.
struct Turn {
  /// When the oldest of the newest readings of filesystems was asked for; nothing while one is
  /// missing.
  std::optional<MonoTime> disks_asked_at;
};
/// A pod is in its slot from now on; one that was there before is replaced.
struct PodPlaced {
  PodView pod;
};
struct PodRemoved {
  std::uint32_t slot = 0;
};
/// The configuration from now on. It outlives its use; the one before may go afterwards.
struct ConfigurationChanged {
  Configuration* configuration = nullptr;
};
struct WishesChanged {
  OperatorWishes wishes;
};
/// Somebody wants a pass now.
struct PassRequested {
  PassTrigger trigger = PassTrigger::kRequest;
};
/// What was pushed is not any more, or is again: look now.
struct SourceChanged {};
/// An eviction of an earlier evictd is under way in a pod, which may be gone by now.
struct EvictionFound {
  CgroupId pod;
  /// kReleased where nobody of its victims is left.
  VictimPhase phase = VictimPhase::kKilled;
  MonoTime killed_at{};
  /// Dying by whosever hand: awaited, and not touched.
  bool observed_only = false;
  /// Nobody was signalled: a dry run had chosen it.
  bool dry_run = false;
  bool holds_disk = false;
  bool hold_tasks = false;
  /// What the pod holds now.
  CgroupUsage usage;
};
/// Pods were measured, as MeasurePods asked; `under_way`: some of them, or not to their end.
struct PodsMeasured {
  std::uint64_t round = 0;
  bool under_way = false;
};
/// The collectors have run, as RunCollectors asked.
struct CollectorsDone {
  std::uint64_t round = 0;
};
/// What a victim took up on disk is free, or was awaited for long enough.
struct FilesReleased {
  CgroupId pod;
};
/// The tree was read anew, as ScanPods asked. What is new of it was told before.
struct PodsScanned {
  std::uint64_t round = 0;
};
/// The kernel side saw a threshold crossed, by its place, or what is available rise again.
struct Crossed {
  std::size_t threshold = 0;
  bool recovered = false;
  MonoTime at{};
};
/// The kernel side saw a value race towards its threshold.
struct Approached {
  eviction::Scope scope = eviction::Scope::kNode;
  /// When the threshold is reached at the rate seen.
  Duration away{0};
  /// Whether the caller may wait awake for it.
  bool may_stand_by = false;
};
/// The kernel side saw a pod lose time to memory.
struct Stalled {};
/// A cgroup got a live process.
struct Populated {
  CgroupId pod;
  MonoTime at{};
};
/// The kernel's OOM killer was first.
struct OomKilled {};
/// Something that was told of pods was lost; `passes`: a threshold may have been crossed unseen.
struct EventsLost {
  bool passes = false;
};
/// The stand-by is over. `rehearsal_holds`: what was last rehearsed is what was last approached.
struct StandByOver {
  bool rehearsal_holds = false;
};

/// A step of an eviction.
struct VictimStep {
  enum class What : std::uint8_t { kTerminating, kKilled, kExceededGrace, kReleased };

  CgroupId pod;
  What what = What::kTerminating;
  MonoTime at{};
  /// The actuator that signals nobody went this step.
  bool dry_run = false;
  /// With kExceededGrace: SIGKILL was not sent, so it lives.
  bool spared = false;
  /// What it holds now; without numbers once its cgroup is gone.
  CgroupUsage usage;
  /// Bytes still charged to it; -1 once its cgroup is gone.
  Bytes charged{-1};
};

// Answers to questions of the engine.

/// One of Engine::followed(), whether it takes part in the pass or not.
struct FollowedPod {
  CgroupUsage usage;
  /// What it had on disks when it was last measured; nullptr if it was not.
  const eviction::DiskReading* disk = nullptr;
};
/// To Read. All that is borrowed stays valid and as it is until the pass has ended.
struct ReadingsTaken {
  /// nullptr: they could not be read.
  const eviction::Observations* observations = nullptr;
  /// The pods that take part, the first one first. The engine fills in `standing` and `grown`.
  std::span<eviction::PassPod> pods;
  /// Their slots and readings, parallel to `pods`.
  std::span<const std::uint32_t> slots;
  std::span<const CgroupUsage> usages;
  /// Of Engine::followed(), parallel to it.
  std::span<const FollowedPod> followed;
  std::optional<MonoTime> disks_asked_at;
  /// By Signal: when nothing of its filesystem is left at the rate last seen.
  std::array<std::optional<MonoTime>, eviction::kSignalCount> full_at{};
};
/// To LookAgain: what ReadingsTaken pointed to is as new as can be.
struct LookedAgain {
  /// The longest time until the next pass: what the kernel side does not watch may move meanwhile.
  Duration next_look{0};
};
/// To Signal and to CutGrace.
struct Signalled {
  /// Why nobody was; nothing if somebody was.
  std::optional<Errc> refused;
  Ticket ticket;
  /// When the last of them was.
  MonoTime last_at{};
};
/// To ReadVictim.
struct VictimRead {
  CgroupId pod;
  /// Without numbers once its cgroup is gone.
  CgroupUsage usage;
};
/// To ScanPods. Not `asked`: nobody could be, and what is known must do.
struct ScanAsked {
  bool asked = false;
};
/// To GoOnWith.
struct WentOn {
  std::optional<Errc> refused;
  Ticket ticket;
};

using Event = std::variant<Woken, Turn, PodPlaced, PodRemoved, ConfigurationChanged, WishesChanged,
                           PassRequested, SourceChanged, EvictionFound, PodsMeasured,
                           CollectorsDone, FilesReleased, PodsScanned, Crossed, Approached, Stalled,
                           Populated, OomKilled, EventsLost, StandByOver, VictimStep, ReadingsTaken,
                           LookedAgain, Signalled, VictimRead, ScanAsked, WentOn>;

}  // namespace evictd::engine
