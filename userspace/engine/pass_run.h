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

/// How the eviction of a pod is to begin.
struct Beginning {
  std::chrono::milliseconds grace{0};
  /// Where it is while its grace runs.
  VictimPhase in_grace = VictimPhase::kHardGrace;
  bool holds_disk = false;
  /// For pid.available, and with a grace.
  bool hold_tasks = false;
  /// Place in Decision::local_victims; nothing for the victim of a threshold.
  std::optional<std::size_t> local;
};

/// The pass that is under way, or was last.
struct PassRun {
  PassTrigger trigger = PassTrigger::kRegular;
  MonoTime at{};
  /// It ends a pass that had waited for collectors.
  bool resumed = false;
  bool disk_usage_pending = false;
  eviction::DiskProgress disk_progress = eviction::DiskProgress::kNothing;
  /// The longest time until the next pass.
  Duration next_look{0};
  /// Rounds of this turn. Each passes one pod over or cuts one grace.
  int round = 0;
  /// Its first one was a mere rehearsal.
  bool rehearsal = false;
  /// A pass that waited was gone on with in this turn.
  bool resumed_in_turn = false;
  /// The next of Decision::local_victims to be signalled.
  std::size_t next_local = 0;
  /// The victim of a threshold was tried.
  bool victim_tried = false;
  /// Whose signal is awaited, by its place, and how it is to begin.
  std::size_t awaited = 0;
  Beginning beginning;
  /// What is awaited is a shorter grace.
  bool cutting = false;
  /// The victim of a threshold was signalled, or its grace was cut.
  bool acted = false;
  /// Another pass must follow at once: somebody was refused, or is to have no grace.
  bool again = false;
};

}  // namespace evictd::engine
