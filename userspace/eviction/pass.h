// SPDX-License-Identifier: Apache-2.0
// What goes into a pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

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
};

/// One pod in a pass. Order of the pods decides between equals: the first one goes first.
struct PassPod {
  /// Must outlive the pass.
  const PodFacts* facts = nullptr;
  PodReading reading;
  Standing standing = Standing::kActive;
  /// Both needed for local storage limits only; without them none of the pod's is checked.
  const Pod* pod = nullptr;
  const PodStatistics* statistics = nullptr;
};

/// A pod that was sent SIGKILL and whose resources are still being freed.
struct ReleasingPod {
  MonoTime killed_at{};
  Bytes memory{0};
  std::int64_t tasks = 0;
  Bytes disk{0};
  std::int64_t inodes = 0;
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
  /// The disk usage of pods is being measured anew: no pod is chosen by it before that is done. A
  /// pass that was resumed does not ask.
  bool disk_usage_pending = false;
  Cadence cadence = Cadence::kRegular;
  /// Null: nothing holds us but what the kubelet has.
  const Brakes* brakes = nullptr;
};

}  // namespace evictd::eviction
