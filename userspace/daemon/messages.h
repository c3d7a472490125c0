// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/spsc_queue.h"
#include "base/timer.h"
#include "daemon/adoption.h"
#include "daemon/eviction_messages.h"
#include "daemon/hot_config.h"
#include "daemon/hot_pod.h"
#include "daemon/hot_storage.h"
#include "daemon/pass_copy.h"
#include "enforce/actuator.h"
#include "engine/eviction_times.h"
#include "engine/operator_wishes.h"
#include "evictd/cgroup_id.h"
#include "probe/events.h"
#include "sys/cgroup_files.h"

namespace evictd::daemon {

// Housekeeping to hot.

/// The pod that a slot has from now on; nullptr empties it.
struct PlacePod {
  std::uint32_t slot = 0;
  std::unique_ptr<HotPod> pod;
  /// Of an earlier evictd, under way in it: gone on with before the pod can be chosen.
  std::optional<Adoption> adoption{};
};
/// Ids of all directories below which a pod may be signalled from now on.
struct UseRoots {
  std::vector<CgroupId> ids;
};
/// Files of the cgroup that holds all pods, instead of those that went with their controller.
struct UsePodRootFiles {
  std::unique_ptr<sys::CgroupFiles> files;
};
/// Another configuration, as a whole.
struct UseConfig {
  std::unique_ptr<HotConfig> config;
};
/// A pass of the regular cadence is wanted now.
struct RunPass {};
/// The kernel side and the files disagree, or records were lost: every threshold is to be reported
/// anew.
struct Resync {};
/// The kernel side's timer runs no more, or runs again: poll, or do not.
struct SetPolling {
  bool polling = false;
};
/// What somebody asked of the running daemon, as a whole.
struct SetWishes {
  engine::OperatorWishes wishes;
  /// Noted in HotCounters::wishes_applied once it is in force.
  std::uint64_t generation = 0;
};
/// An eviction of an earlier evictd is under way in this pod, which may be gone by now.
struct AdoptEviction {
  CgroupId pod;
  Adoption adoption;
};
/// A buffer to copy a pass into.
struct LendPassCopy {
  std::unique_ptr<PassCopy> copy;
};
/// A new measurement of the pod in a slot.
struct UseStorage {
  std::uint32_t slot = 0;
  std::unique_ptr<HotStorage> storage;
};
/// All pods were measured, as MeasurePods asked, or some of them, or not to their end.
struct PodsMeasured {
  std::uint64_t round = 0;
  bool under_way = false;
};
/// The collectors have run, as RunCollectors asked.
struct CollectorsDone {
  std::uint64_t round = 0;
};
/// What a victim of a disk eviction takes up is free as far as anybody can tell, or was awaited for
/// long enough.
struct VictimReleased {
  CgroupId pod;
};

/// The tree was read anew, as ScanPods asked; what is new of it was sent before this.
struct PodsScanned {
  std::uint64_t round = 0;
};

using ToHot = std::variant<std::monostate, PlacePod, UseConfig, RunPass, Resync, SetPolling,
                           SetWishes, AdoptEviction, LendPassCopy, UseStorage, PodsMeasured,
                           CollectorsDone, VictimReleased, PodsScanned, UseRoots, UsePodRootFiles>;

// Hot to housekeeping.

/// A pod, or the pod that was in a slot before, is no longer used by the hot thread.
struct RetirePod {
  std::uint32_t slot = 0;
  /// Whether another pod has the slot already, so that it is not free.
  bool replaced = false;
  std::unique_ptr<HotPod> pod;
};
struct RetireConfig {
  std::unique_ptr<HotConfig> config;
};
/// The ids before those of UseRoots.
struct RetireRoots {
  std::vector<CgroupId> ids;
};
/// The files before those of UsePodRootFiles.
struct RetirePodRootFiles {
  std::unique_ptr<sys::CgroupFiles> files;
};
/// A measurement that the hot thread uses no longer.
struct RetireStorage {
  std::unique_ptr<HotStorage> storage;
};
/// A disk threshold is met: all pods are to be measured now.
struct MeasurePods {
  std::uint64_t round = 0;
};
/// A pass may choose a pod, and no event tells which ones there are: the tree is to be read now.
struct ScanPods {
  std::uint64_t round = 0;
};
/// Node-level resources are to be freed before a pod has to go.
struct RunCollectors {
  std::uint64_t round = 0;
  eviction::CollectorList collectors;
};
/// A pass that was run.
struct PassDone {
  PassTrigger trigger = PassTrigger::kRegular;
  Timeline timeline;
  /// HotConfig::generation of the pass, which its places belong to.
  std::uint64_t config_generation = 0;
  std::optional<EvictionBegun> begun;
  /// What it saw and decided; nullptr when no buffer was left.
  std::unique_ptr<PassCopy> copy;
};
/// A pod's target has given some of what it keeps for a signal that was not sent: it is to be made
/// anew.
struct TargetUsed {
  /// Lives at least until this message was handled.
  const HotPod* pod = nullptr;
};
/// A cgroup changed; the path's end is cut where it does not fit.
struct CgroupNotice {
  probe::CgroupChanged event;
  std::array<char, 384> path{};
};
/// The kernel's OOM killer was first.
struct OomNotice {
  probe::OomKill event;
  std::array<char, 16> comm{};
};
struct StallNotice {
  probe::StallRising event;
};
/// Records were lost: discovery must be done again, by scanning.
struct LossNotice {
  std::uint64_t lost = 0;
};

using ToHousekeeping =
    std::variant<std::monostate, RetirePod, RetireConfig, PassDone, EvictionStep, EvictionRefused,
                 TargetUsed, CgroupNotice, OomNotice, StallNotice, LossNotice, RetireStorage,
                 MeasurePods, RunCollectors, LocalEvictionBegun, ScanPods, RetireRoots,
                 RetirePodRootFiles>;

/// One direction of the traffic between the two threads.
template <typename Message>
struct Mailbox {
  Mailbox(std::size_t capacity, base::WakeUp wake) : queue(capacity), wake_up(std::move(wake)) {}

  base::SpscQueue<Message> queue;
  base::WakeUp wake_up;
};

}  // namespace evictd::daemon
