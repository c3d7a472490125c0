// SPDX-License-Identifier: Apache-2.0
// What the hot thread tells housekeeping of evictions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "daemon/hot_pod.h"
#include "daemon/hot_storage.h"
#include "daemon/pass_copy.h"
#include "enforce/actuator.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/local_storage.h"

namespace evictd::daemon {

/// A pod that exceeds a limit on local storage is being evicted.
struct LocalEvictionBegun {
  /// Lives at least until this message was handled.
  const HotPod* victim = nullptr;
  /// What it was judged by; lives as long.
  const HotStorage* storage = nullptr;
  enforce::SignalReport signals;
  eviction::LocalStorageBreach breach;
  std::chrono::milliseconds grace{0};
  /// When SIGKILL is or was due.
  MonoTime kill_due_at{};
  bool dry_run = false;
  PassTrigger trigger = PassTrigger::kRegular;
  Timeline timeline;
  std::uint64_t config_generation = 0;
  /// PassCopy::now of its pass, whose PassDone comes before this.
  MonoTime pass_at{};
  /// Evictions within the minute before, this one included.
  std::size_t evictions_last_minute = 0;
};
/// An eviction that a pass began, or whose grace it cut.
struct EvictionBegun {
  /// Lives at least until this message was handled.
  const HotPod* victim = nullptr;
  enforce::SignalReport signals;
  /// Place of the threshold acted on.
  std::size_t threshold = 0;
  std::chrono::milliseconds grace{0};
  /// When SIGKILL is or was due.
  MonoTime kill_due_at{};
  /// Chosen by the OOM guard alone.
  bool oom_guard = false;
  /// Whether the threshold was a hard one.
  bool hard = true;
  bool escalated = false;
  bool dry_run = false;
};
/// A step of an eviction that the actuator reported.
struct EvictionStep {
  enforce::Progress progress;
  /// It was not the real actuator that went this step.
  bool dry_run = false;
  /// Bytes still charged to the victim at this step; -1 if its cgroup is gone.
  Bytes usage{-1};
  /// Tasks that it still has at this step; -1 as for `usage`, and where they are not counted.
  std::int64_t tasks = -1;
  enforce::ActuatorCounters counters;
};
/// An eviction that was decided and not begun.
struct EvictionRefused {
  const HotPod* victim = nullptr;
  Errc code = Errc::kIo;
  /// An earlier evictd had begun it: it ends here.
  bool adopted = false;
  /// Nobody could be signalled and nothing has begun, which goes on being tried.
  bool tried_again = false;
  /// When that was found.
  MonoTime at{};
};

}  // namespace evictd::daemon
