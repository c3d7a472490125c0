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
#include "daemon/shared/adoption_terms.h"
#include "daemon/shared/eviction_messages.h"
#include "daemon/shared/hot_config.h"
#include "daemon/shared/pass_copy.h"
#include "enforce/actuator.h"
#include "engine/effect.h"
#include "engine/event.h"
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
/// For the engine, which gets it unchanged. What a PassNeed led to was sent before its end.
using EngineNews = std::variant<engine::PassRequested, engine::PodsMeasured, engine::CollectorsDone,
                                engine::FilesReleased, engine::PodsScanned>;

using ToHot =
    std::variant<std::monostate, PlacePod, UseConfig, Resync, SetPolling, SetWishes, AdoptEviction,
                 LendPassCopy, UseStorage, UseRoots, UsePodRootFiles, EngineNews>;

// Hot to housekeeping.

/// The hot thread no longer uses a pod, or the former pod of a slot.
struct RetirePod {
  std::uint32_t slot = 0;
  /// Whether another pod has the slot already, so that it is not free.
  bool replaced = false;
  std::unique_ptr<HotPod> pod;
};
/// Work that a pass waits for before it evicts; its end is EngineNews.
using PassNeed = std::variant<engine::ScanPods, engine::MeasurePods, engine::RunCollectors>;
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
/// What the kernel side saw.
struct KernelNotice {
  std::variant<probe::StallRising, probe::CgroupChanged, probe::OomKill> event;
  /// The event's path or process, cut at its end if it does not fit. The event's own view of it is
  /// no longer valid.
  std::array<char, 384> text{};
};
/// Records were lost: housekeeping must rescan.
struct LossNotice {
  std::uint64_t lost = 0;
};

using ToHousekeeping =
    std::variant<std::monostate, RetirePod, PassDone, EvictionStep, EvictionRefused, TargetUsed,
                 KernelNotice, LossNotice, PassNeed, LocalEvictionBegun>;

/// One direction of the traffic between the two threads.
template <typename Message>
struct Mailbox {
  Mailbox(std::size_t capacity, base::WakeUp wake) : queue(capacity), wake_up(std::move(wake)) {}

  base::SpscQueue<Message> queue;
  base::WakeUp wake_up;
};

}  // namespace evictd::daemon
