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

#include "base/loan.h"
#include "base/spsc_queue.h"
#include "base/timer.h"
#include "daemon/hot/hot_pod.h"
#include "daemon/hot/hot_storage.h"
#include "daemon/shared/eviction_messages.h"
#include "daemon/shared/hot_config.h"
#include "daemon/shared/pass_copy.h"
#include "daemon/state/adoption.h"
#include "enforce/actuator.h"
#include "engine/eviction_times.h"
#include "engine/operator_wishes.h"
#include "evictd/cgroup_id.h"
#include "probe/events.h"
#include "sys/cgroup_files.h"

namespace evictd::daemon {

// Housekeeping to hot.

/// Sets the pod of a slot; nullptr empties the slot.
struct PlacePod {
  std::uint32_t slot = 0;
  std::unique_ptr<HotPod> pod;
  /// An earlier evictd's eviction in progress in this pod: resumed before the pod can be chosen.
  std::optional<Adoption> adoption{};
};
/// Ids of all directories below which a pod may be signalled from now on.
struct UseRoots {
  base::Loan<std::vector<CgroupId>> ids;
};
/// New files of the pod root, in place of those that vanished with their controller.
struct UsePodRootFiles {
  base::Loan<sys::CgroupFiles> files;
};
/// Replaces the configuration as a whole.
struct UseConfig {
  base::Loan<HotConfig> config;
};
/// Requests a regular pass now.
struct RunPass {};
/// The kernel side and the files disagree, or records were lost: every threshold must be reported
/// again.
struct Resync {};
/// The kernel side's timer stalls or runs again: start or stop polling.
struct SetPolling {
  bool polling = false;
};
/// All requests of operators to the running daemon.
struct SetWishes {
  engine::OperatorWishes wishes;
  /// Stored in HotCounters::wishes_applied once in force.
  std::uint64_t generation = 0;
};
/// An earlier evictd's eviction is in progress in this pod, which may be gone by now.
struct AdoptEviction {
  CgroupId pod;
  Adoption adoption;
};
/// Lends a buffer for the copy of a pass.
struct LendPassCopy {
  std::unique_ptr<PassCopy> copy;
};
/// A new measurement of the pod in a slot.
struct UseStorage {
  std::uint32_t slot = 0;
  base::Loan<HotStorage> storage;
};
/// The measurement that MeasurePods requested, of all pods or some, maybe not complete.
struct PodsMeasured {
  std::uint64_t round = 0;
  bool under_way = false;
};
/// The collectors that RunCollectors requested have run.
struct CollectorsDone {
  std::uint64_t round = 0;
};
/// The victim's disk space is free as far as evictd can tell, or was awaited for long enough.
struct VictimReleased {
  CgroupId pod;
};

/// The scan that ScanPods requested is done; its changes were sent before this message.
struct PodsScanned {
  std::uint64_t round = 0;
};

using ToHot = std::variant<std::monostate, PlacePod, UseConfig, RunPass, Resync, SetPolling,
                           SetWishes, AdoptEviction, LendPassCopy, UseStorage, PodsMeasured,
                           CollectorsDone, VictimReleased, PodsScanned, UseRoots, UsePodRootFiles>;

// Hot to housekeeping.

/// The hot thread no longer uses a pod, or the former pod of a slot.
struct RetirePod {
  std::uint32_t slot = 0;
  /// Whether another pod has the slot already, so that it is not free.
  bool replaced = false;
  std::unique_ptr<HotPod> pod;
};
/// A disk threshold is met: measure all pods now.
struct MeasurePods {
  std::uint64_t round = 0;
};
/// A pass may choose a pod, and no event reports pods: scan the tree now.
struct ScanPods {
  std::uint64_t round = 0;
};
/// Free node-level resources before a pod is evicted.
struct RunCollectors {
  std::uint64_t round = 0;
  eviction::CollectorList collectors;
};
/// A pass has run.
struct PassDone {
  PassTrigger trigger = PassTrigger::kRegular;
  Timeline timeline;
  /// HotConfig::generation of the pass, for its threshold indices.
  std::uint64_t config_generation = 0;
  std::optional<EvictionBegun> begun;
  /// What it observed and decided; nullptr if no buffer was left.
  std::unique_ptr<PassCopy> copy;
};
/// A pod's target used up kept descriptors for a signal that was not sent: open the target again.
struct TargetUsed {
  /// Lives at least until this message is handled.
  const HotPod* pod = nullptr;
};
/// A cgroup changed; a path that does not fit is cut at its end.
struct CgroupNotice {
  probe::CgroupChanged event;
  std::array<char, 384> path{};
};
/// The kernel's OOM killer killed a process first.
struct OomNotice {
  probe::OomKill event;
  std::array<char, 16> comm{};
};
struct StallNotice {
  probe::StallRising event;
};
/// Records were lost: housekeeping must rescan.
struct LossNotice {
  std::uint64_t lost = 0;
};

using ToHousekeeping =
    std::variant<std::monostate, RetirePod, PassDone, EvictionStep, EvictionRefused, TargetUsed,
                 CgroupNotice, OomNotice, StallNotice, LossNotice, MeasurePods, RunCollectors,
                 LocalEvictionBegun, ScanPods>;

/// One direction of the traffic between the two threads.
template <typename Message>
struct Mailbox {
  Mailbox(std::size_t capacity, base::WakeUp wake) : queue(capacity), wake_up(std::move(wake)) {}

  base::SpscQueue<Message> queue;
  base::WakeUp wake_up;
};

}  // namespace evictd::daemon
