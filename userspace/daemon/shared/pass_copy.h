// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "daemon/hot/hot_pod.h"
#include "disk/pod_storage.h"
#include "enforce/actuator.h"
#include "engine/eviction_times.h"
#include "engine/pass_trigger.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/decision.h"
#include "eviction/observation.h"
#include "eviction/pass.h"
#include "eviction/pass_state.h"

namespace evictd::daemon {

using engine::kPassTriggers;
using engine::PassTrigger;

/// Times of the steps of a pass, on CLOCK_MONOTONIC; the epoch for a step that did not happen.
struct Timeline {
  /// The kernel program saw the crossing.
  MonoTime hook_at{};
  /// The hot thread woke up.
  MonoTime wake_at{};
  /// The events were handled and the pass began to read.
  MonoTime begin_at{};
  /// All readings were complete.
  MonoTime observe_at{};
  MonoTime decide_at{};
  /// The last signal call had returned.
  MonoTime signal_at{};
};

/// All inputs and outputs of one pass, copied after the signal was sent. Housekeeping builds the
/// record from it without the hot thread. It lends the copy empty and gets it back full.
struct PassCopy {
  struct PodCopy {
    /// Lives at least until the message that carries this copy is handled.
    const HotPod* pod = nullptr;
    eviction::PassPod pass;
    CgroupUsage usage;
    /// When and how the disk usage in `pass` was measured; the epoch if it was not.
    MonoTime storage_at{};
    disk::StorageMethod storage_method = disk::StorageMethod::kNone;
    bool storage_complete = true;
  };

  NodeUsage node;
  CgroupUsage pod_root;
  std::int64_t pod_root_max_tasks = -1;
  /// Readings::lazy_error() of the pass.
  Bytes lazy_error{0};
  eviction::Observations observations;
  /// The rules that computed memory.available of these.
  eviction::MemoryRules memory;
  std::vector<PodCopy> pods;
  eviction::Decision decision;
  eviction::PassState state;
  /// Evictions before the pass and by it.
  engine::EvictionTimes eviction_times;
  MonoTime now{};
  eviction::Cadence cadence = eviction::Cadence::kRegular;
  /// It resumed a pass that had waited for collectors.
  bool resumed = false;
  bool disk_usage_pending = false;
  eviction::DiskProgress disk_progress = eviction::DiskProgress::kNothing;
  std::optional<eviction::DiskLayout> layout;
  std::vector<eviction::ReleasingPod> releasing;
  /// The scope whose process ids pid.available counted.
  eviction::Scope pid_scope = eviction::Scope::kNode;
  /// HotConfig::generation of the configuration that the pass used.
  std::uint64_t config_generation = 0;
  bool dry_run = false;
  /// Indices into `pods` of those that exceeded a limit on local storage and were signalled.
  std::vector<std::size_t> local_signalled;
  // While every pass is recorded.
  /// The state before the pass, if the previous copy does not give it: at the first pass, after
  /// passes without a copy, and after a change of configuration.
  std::optional<eviction::PassState> before;
  /// With `before`: the pass that was then waiting for collectors.
  std::optional<eviction::SuspendedPass> waiting_before;
  /// The pass that waits for collectors after this one.
  std::optional<eviction::SuspendedPass> waiting;
  /// Passes without a copy directly before this one.
  std::uint64_t missed = 0;
  /// The brakes that applied, and the evictions before the pass; Brakes::recent is not set.
  eviction::Brakes brakes;
  engine::EvictionTimes times_before;
  /// The counters after the pass; other threads may not read the hot thread's own.
  enforce::ActuatorCounters actuator;
};

}  // namespace evictd::daemon
