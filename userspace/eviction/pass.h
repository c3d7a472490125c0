// SPDX-License-Identifier: Apache-2.0
// What goes into a pass.
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

/// What we have done to a pod so far, or must not do.
enum class Standing : std::uint8_t {
  kActive,
  kUnknown,      ///< A cgroup that no source of pods knows: not ranked, never evicted.
  kInSoftGrace,  ///< Sent SIGTERM by a soft eviction: still counts as used, still a candidate.
  kInHardGrace,  ///< Sent SIGTERM by a hard eviction, its time is running.
  kKilled,       ///< Sent SIGKILL; see PassInput::releasing.
  kRefused,      ///< Decided on before and not begun: left alone until it is looked at anew.
};

/// How much of a pod's disk usage its reading has, while it is measured anew.
enum class DiskCount : std::uint8_t {
  kWhole,  ///< All that could be counted.
  kPart,   ///< Counted to here: it has at least so much.
  kNone,   ///< Its turn has not come: any older number says nothing of what it has now.
};
/// "whole", "part", "none".
[[nodiscard]] std::string_view to_string(DiskCount count);

/// How far a new measurement of disk usage has come.
enum class DiskProgress : std::uint8_t {
  kNothing,   ///< No pod was counted.
  kSome,      ///< Readings of pods are what was counted of each so far, at least.
  kTimeIsUp,  ///< There is no time for more. Readings are the best that is known of each.
};

/// One pod in a pass. Order of the pods decides between equals: the first one goes first.
struct PassPod {
  /// Must outlive the pass.
  const PodFacts* facts = nullptr;
  PodReading reading;
  /// Of PodReading::disk.
  DiskCount disk_count = DiskCount::kWhole;
  Standing standing = Standing::kActive;
  /// How much more it uses than when the wait for what dead victims are still charged with began;
  /// 0 while there is none.
  Bytes grown{0};
  /// Both needed for local storage limits only; without them none of the pod's is checked.
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
  /// What its cgroup is charged with though no process of it lives: files in memory, page cache,
  /// slab. 0 while one does. Told for as long as the cgroup is there.
  Bytes left{0};
};

/// Why observations were made.
enum class Cadence : std::uint8_t {
  kRegular,    ///< A pass or a poll: what has recovered starts its grace anew next time.
  kEventOnly,  ///< Nothing but an event asked: a signal seen recovered resets no grace.
};

/// All that a pass may know besides `now`, the settings and its own state.
struct PassInput {
  /// Null: statistics could not be read, the pass fails and changes nothing.
  const Observations* observations = nullptr;
  std::span<const PassPod> pods;
  /// Asked for until it was answered once; unset: the question failed.
  std::optional<DiskLayout> layout = DiskLayout{};
  std::span<const ReleasingPod> releasing;
  /// The disk usage of pods is being measured anew: before that is done a pod is chosen by it only
  /// where nothing can be found that changes the choice, or where there is no time to find it; see
  /// eviction/partial_disk.h.
  bool disk_usage_pending = false;
  /// How far that is; without it nothing.
  DiskProgress disk_progress = DiskProgress::kNothing;
  Cadence cadence = Cadence::kRegular;
  /// Null: nothing holds us but what the kubelet has.
  const Brakes* brakes = nullptr;
};

}  // namespace evictd::eviction
