// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "engine/pass_trigger.h"
#include "eviction/decision.h"

namespace evictd::engine {

/// What the engine did since it was made.
struct Counters {
  std::array<std::uint64_t, kPassTriggers> passes{};
  std::uint64_t evictions = 0;
  /// Evictions that were decided and not begun.
  std::uint64_t not_begun = 0;
  /// Evictions refused, those of an earlier evictd included, for want of room to wait for one more.
  /// One that is refused again in the passes that follow is counted once.
  std::uint64_t too_many_under_way = 0;
  /// Pods whose turn comes when an eviction under way ends, in the last pass.
  std::uint64_t waiting_for_room = 0;
  /// Tasks that released victims have left and nobody has reaped, in the last pass.
  std::int64_t unreaped_tasks = 0;
  /// Passes that went on with a possibly incomplete list of pods, because nobody looked in time.
  std::uint64_t unscanned_passes = 0;
  std::uint64_t stand_bys = 0;
  std::uint64_t oom_kills = 0;
  /// Evictions of an earlier evictd that were gone on with.
  std::uint64_t adopted = 0;
  /// Passes that were held, by eviction::Reason.
  std::array<std::uint64_t, eviction::kReasonCount> held{};
};

}  // namespace evictd::engine
