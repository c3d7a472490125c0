// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/pass_trigger.h"
#include "engine/victim.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/pass.h"

namespace evictd::engine {

/// How the eviction of a pod begins.
struct Beginning {
  std::chrono::milliseconds grace{0};
  /// Its phase during the grace period.
  VictimPhase in_grace = VictimPhase::kHardGrace;
  bool holds_disk = false;
  /// Set for pid.available with a grace period.
  bool hold_tasks = false;
  /// Set for memory with a grace period, if configured.
  bool bridge = false;
  /// Place in Decision::local_victims; unset for the victim of a threshold.
  std::optional<std::size_t> local;
};

/// A kill of the kernel side that a pass adopts.
struct AdoptedKill {
  /// When it signalled the pod.
  MonoTime at{};
  /// Place in ReadingsTaken::pods.
  std::size_t pod = 0;
};

/// The current or last pass.
struct PassRun {
  PassTrigger trigger = PassTrigger::kRegular;
  MonoTime at{};
  /// It completes a pass that waited for collectors.
  bool resumed = false;
  /// It chooses nobody: the kernel side has killed the victim. For the threshold of
  /// Engine::backstop().
  std::optional<AdoptedKill> adopted;
  bool disk_usage_pending = false;
  eviction::DiskProgress disk_progress = eviction::DiskProgress::kNothing;
  /// Longest time until the next pass.
  Duration next_look{0};
  /// Rounds of this turn. Each passes over one pod or cuts one grace period.
  int round = 0;
  /// The first round was only a rehearsal.
  bool rehearsal = false;
  /// A waiting pass was resumed in this turn.
  bool resumed_in_turn = false;
  /// The next of Decision::local_victims to signal.
  std::size_t next_local = 0;
  /// The victim of a threshold was tried.
  bool victim_tried = false;
  /// Place of the pod whose Signalled is pending, and how its eviction begins.
  std::size_t awaited = 0;
  Beginning beginning;
  /// The pending question is CutGrace.
  bool cutting = false;
  /// The victim of a threshold was signalled, or its grace period was cut.
  bool acted = false;
  /// Another pass must follow at once: a pod was refused, or its grace period must be cut to 0.
  bool again = false;
};

}  // namespace evictd::engine
