// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "daemon/hot_pod.h"
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

/// When what happened, on CLOCK_MONOTONIC; the epoch for what did not.
struct Timeline {
  /// The kernel program saw the threshold crossed.
  MonoTime hook_at{};
  /// The hot thread was awake.
  MonoTime wake_at{};
  /// What had woken it was taken in and the pass began to read.
  MonoTime begin_at{};
  /// All readings were there.
  MonoTime observe_at{};
  MonoTime decide_at{};
  /// The last signal call had returned.
  MonoTime signal_at{};
};

/// Everything that went into one pass and came out of it, copied after the signal was sent, so that
/// housekeeping can tell the story without the hot thread. Lent to it empty, given back full.
struct PassCopy {
  struct PodCopy {
    /// Lives at least until the message that carries this copy was handled.
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
  /// Readings::lazy_error() of it.
  Bytes lazy_error{0};
  eviction::Observations observations;
  /// How memory.available of these was worked out.
  eviction::MemoryRules memory;
  std::vector<PodCopy> pods;
  eviction::Decision decision;
  eviction::PassState state;
  /// Those before and with this pass.
  engine::EvictionTimes eviction_times;
  MonoTime now{};
  eviction::Cadence cadence = eviction::Cadence::kRegular;
  /// It ended a pass that had waited for collectors.
  bool resumed = false;
  bool disk_usage_pending = false;
  eviction::DiskProgress disk_progress = eviction::DiskProgress::kNothing;
  std::optional<eviction::DiskLayout> layout;
  std::vector<eviction::ReleasingPod> releasing;
  /// Whose process ids pid.available counted.
  eviction::Scope pid_scope = eviction::Scope::kNode;
  /// Which configuration it was run with; HotConfig::generation.
  std::uint64_t config_generation = 0;
  bool dry_run = false;
  /// Indices into `pods` of those that exceeded a limit on local storage and were sent a signal.
  std::vector<std::size_t> local_signalled;
  // While every pass is recorded.
  /// The state before the pass where it does not follow from the copy before: the first pass, after
  /// passes without a copy, and after a change of configuration.
  std::optional<eviction::PassState> before;
  /// With `before`: the pass that was waiting for collectors then.
  std::optional<eviction::SuspendedPass> waiting_before;
  /// The pass that waits for collectors after this one.
  std::optional<eviction::SuspendedPass> waiting;
  /// Passes without a copy right before this one.
  std::uint64_t missed = 0;
  /// What held it, and the evictions before it; Brakes::recent is not set.
  eviction::Brakes brakes;
  engine::EvictionTimes times_before;
  /// As they were after the pass; the hot thread's own may not be read from elsewhere.
  enforce::ActuatorCounters actuator;
};

}  // namespace evictd::daemon
