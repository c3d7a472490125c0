// SPDX-License-Identifier: Apache-2.0
// What the hot thread tells housekeeping of evictions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/hot/hot_pod.h"
#include "daemon/hot/hot_storage.h"
#include "daemon/shared/pass_copy.h"
#include "enforce/actuator.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/local_storage.h"
#include "probe/backstop.h"

namespace evictd::daemon {

/// The eviction of a pod that exceeds a limit on local storage has begun.
struct LocalEvictionBegun {
  /// Lives at least until this message is handled.
  const HotPod* victim = nullptr;
  /// The measurement that the decision used; lives as long.
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
  /// PassCopy::now of its pass, whose PassDone precedes this message.
  MonoTime pass_at{};
  /// Evictions within the last minute, this one included.
  std::size_t evictions_last_minute = 0;
};
/// A pass began an eviction, or cut its grace period.
struct EvictionBegun {
  /// Lives at least until this message is handled.
  const HotPod* victim = nullptr;
  enforce::SignalReport signals;
  /// What the kernel side did before; unset if it did nothing.
  std::optional<probe::BackstopFiring> kernel_kill{};
  /// Index of the threshold acted on.
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
  /// The step is of a dry run, not of the real actuator.
  bool dry_run = false;
  /// Bytes still charged to the victim at this step; -1 if its cgroup is gone.
  Bytes usage{-1};
  /// The victim's remaining tasks at this step; -1 if its cgroup is gone or tasks are not counted.
  std::int64_t tasks = -1;
  enforce::ActuatorCounters counters;
};
/// An eviction that was decided and not begun.
struct EvictionRefused {
  const HotPod* victim = nullptr;
  Errc code = Errc::kIo;
  /// An earlier evictd had begun it; it ends here.
  bool adopted = false;
  /// No process could be signalled and nothing has begun; evictd keeps trying.
  bool tried_again = false;
  /// When that was found.
  MonoTime at{};
};

}  // namespace evictd::daemon
