// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "evictd/cgroup_id.h"
#include "evictd/time.h"

namespace evictd::probe {

/// What a threshold is compared with. Memory in bytes, tasks in tasks.
enum class Signal : std::uint32_t {
  kCgroupWorkingSet,  ///< usage - inactive_file of one cgroup
  kCgroupUsage,
  kCgroupTasks,
  kNodeWorkingSet,
  kNodeTasks,
  /// kNodeCeiling - NodeUsage::at_hand. Charges check only one of this and kNodeWorkingSet; the
  /// timer alone checks the other.
  kNodeTaken,
  /// kNodeCeiling - NodeUsage::reserve + the expected loss of the reserve within the horizon of
  /// GuardTerms. Above kNodeCeiling: the reserve ends within the horizon.
  kNodeReserve,
};

/// More bytes than any machine has; kNodeTaken is subtracted from it.
inline constexpr std::int64_t kNodeCeiling = std::int64_t{1} << 60;

enum class Direction : std::uint32_t { kDown, kUp };

/// Which kernel program found the crossing.
enum class Origin : std::uint32_t { kCharge, kTick, kFork, kResync };

/// A value crossed a threshold upwards (kUp: value > N) or back down (kDown: value <= N -
/// hysteresis). One record per threshold and direction. After set_thresholds() and resync(), an
/// already exceeded threshold is reported as kUp once.
struct ThresholdCrossed {
  std::uint64_t threshold_id = 0;
  Signal signal{};
  Direction direction{};
  Origin origin{};
  /// The zero id for a node signal.
  CgroupId cgroup{};
  std::uint64_t value = 0;
  std::uint64_t threshold_value = 0;
  MonoTime at{};
};

/// A watched cgroup stalled on memory for more than `Options::stall_notice` within one window.
struct StallRising {
  std::uint32_t slot = 0;
  /// As returned by watch(); differs if another cgroup has the slot since.
  std::uint32_t generation = 0;
  Duration stalled{};
  Duration window{};
  /// Since the slot has been watched.
  Duration total{};
  MonoTime at{};
};

enum class CgroupChange : std::uint32_t { kCreated, kRemoved, kPopulated, kEmptied };

/// Something happened to a root given to set_roots() or to a cgroup below one.
struct CgroupChanged {
  CgroupChange change{};
  CgroupId cgroup{};
  /// Same hierarchy as `cgroup`.
  std::uint64_t parent_id = 0;
  std::uint64_t root_id = 0;
  /// 0 the root itself, 1 its children (for the kubelet's tree: QoS classes and guaranteed pods),
  /// ...
  std::uint32_t depth = 0;
  /// From the root of the hierarchy, with a leading slash. Valid during the call only.
  std::string_view path{};
  /// The kernel's path was longer than a record holds: `path` lacks its end.
  bool path_cut = false;
  MonoTime at{};
};

/// The kernel's OOM killer chose a victim before evictd did.
struct OomKill {
  std::uint32_t pid = 0;
  /// The victim's own memory cgroup (not the one whose allocation failed); zero id if the chosen
  /// row of the ladder cannot read it.
  CgroupId memory{};
  /// Slot of the nearest watched cgroup at or above `memory`, or kNoSlot.
  std::uint32_t slot = 0;
  /// Valid during the call only.
  std::string_view comm{};
  MonoTime at{};
};

/// A value grows so fast that it is likely to cross its threshold within `Options::approach`.
/// A hint: at most ten a second over all thresholds; most crossings by slow growth have none.
struct Approach {
  Signal signal{};
  /// The zero id for a node signal.
  CgroupId cgroup{};
  /// Bytes left to the threshold, and recent growth in bytes a second.
  std::uint64_t distance = 0;
  std::uint64_t rate = 0;
  /// The CPU that saw it: nearly always that of the growing task.
  std::uint32_t cpu = 0;
  MonoTime at{};
};

constexpr std::uint32_t kNoSlot = 0xffffffffU;

/// Receives the decoded records in ring order. Probe::drain() calls it on the hot thread: it must
/// not allocate or block.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_threshold(const ThresholdCrossed& event) = 0;
  virtual void on_stall(const StallRising& event) = 0;
  virtual void on_cgroup(const CgroupChanged& event) = 0;
  virtual void on_oom_kill(const OomKill& event) = 0;
  virtual void on_approach(const Approach& event) = 0;
};

}  // namespace evictd::probe
