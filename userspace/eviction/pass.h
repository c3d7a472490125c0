// SPDX-License-Identifier: Apache-2.0
// Input of a pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "eviction/brakes.h"
#include "eviction/disk_layout.h"
#include "eviction/observation.h"
#include "eviction/pod_facts.h"
#include "eviction/statistics.h"

namespace evictd::eviction {

/// State of a pod's eviction, or why it must not be evicted.
enum class Standing : std::uint8_t {
  kActive,
  kUnknown,      ///< A cgroup that no pod source knows: not ranked, never evicted.
  kInSoftGrace,  ///< Got SIGTERM by a soft eviction: still counts as used, still a candidate.
  kInHardGrace,  ///< Got SIGTERM by a hard eviction; the grace period runs.
  kKilled,       ///< Got SIGKILL; see PassInput::releasing.
  kRefused,      ///< Its eviction could not begin: skipped until the pod is read again.
};

/// Completeness of a pod's disk usage while a new measurement runs.
enum class DiskCount : std::uint8_t {
  kWhole,  ///< Everything that could be counted.
  kPart,   ///< Partly counted: a lower bound.
  kNone,   ///< Not counted yet: an older number says nothing about its current usage.
};
/// "whole", "part", "none".
[[nodiscard]] std::string_view to_string(DiskCount count);

/// Progress of a new measurement of disk usage.
enum class DiskProgress : std::uint8_t {
  kNothing,   ///< No pod was counted.
  kSome,      ///< Readings hold what was counted of each pod so far: lower bounds.
  kTimeIsUp,  ///< There is no time for more. Readings hold the best known value of each pod.
};

/// One pod in a pass. Among pods of equal rank, the first in the list goes first.
struct PassPod {
  /// Must outlive the pass.
  const PodFacts* facts = nullptr;
  PodReading reading;
  /// Of PodReading::disk.
  DiskCount disk_count = DiskCount::kWhole;
  Standing standing = Standing::kActive;
  /// Its growth since the pass began to wait for memory that killed victims still hold; 0 without
  /// such a wait.
  Bytes grown{0};
  /// Both are needed only for local storage limits; without them the pod's limits are not checked.
  const Pod* pod = nullptr;
  const PodStatistics* statistics = nullptr;
};

/// A pod that was evicted and whose resources are still being freed.
struct ReleasingPod {
  MonoTime killed_at{};
  Bytes memory{0};
  std::int64_t tasks = 0;
  Bytes disk{0};
  std::int64_t inodes = 0;
  /// As PodFacts::below_pod_root.
  bool below_pod_root = true;
  /// Bytes charged to its cgroup without a live process: files in memory, page cache, slab. 0 while
  /// a process lives. Reported as long as the cgroup exists.
  Bytes left{0};
};

/// Why observations were made.
enum class Cadence : std::uint8_t {
  kRegular,    ///< A pass or a poll: recovery of a signal resets its grace period.
  kEventOnly,  ///< Only an event: recovery of a signal resets no grace period.
};

/// Complete input of a pass besides `now`, the settings and its own state.
struct PassInput {
  /// Null: statistics could not be read, the pass fails and changes nothing.
  const Observations* observations = nullptr;
  std::span<const PassPod> pods;
  /// Requested until the first answer; unset: the request failed.
  std::optional<DiskLayout> layout = DiskLayout{};
  std::span<const ReleasingPod> releasing;
  /// A new measurement of the pods' disk usage runs. Until it is complete, a pass chooses a pod by
  /// disk usage only if the rest cannot change the choice, or if there is no time to wait; see
  /// eviction/partial_disk.h.
  bool disk_usage_pending = false;
  /// Progress of that measurement; kNothing without one.
  DiskProgress disk_progress = DiskProgress::kNothing;
  Cadence cadence = Cadence::kRegular;
  /// Null: no brakes; only the kubelet's own rules hold evictions.
  const Brakes* brakes = nullptr;
};

}  // namespace evictd::eviction
