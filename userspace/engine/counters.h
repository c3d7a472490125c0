// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "engine/backstop.h"
#include "engine/pass_trigger.h"
#include "eviction/decision.h"

namespace evictd::engine {

/// What the engine has done since it was created.
struct Counters {
  std::array<std::uint64_t, kPassTriggers> passes{};
  std::uint64_t evictions = 0;
  /// Evictions that a pass decided but that did not begin.
  std::uint64_t not_begun = 0;
  /// Evictions refused because the table of evictions in progress was full, including those of an
  /// earlier evictd. Repeated refusals in the passes that follow count once.
  std::uint64_t too_many_under_way = 0;
  /// Pods that waited in the last pass for an eviction in progress to end.
  std::uint64_t waiting_for_room = 0;
  /// Unreaped tasks of released victims in the last pass.
  std::int64_t unreaped_tasks = 0;
  /// Passes that ran with a possibly incomplete pod list, because no scan finished in time.
  std::uint64_t unscanned_passes = 0;
  std::uint64_t stand_bys = 0;
  std::uint64_t oom_kills = 0;
  /// Plans that the kernel side was given, the kills that it did by them, and rehearsals without a
  /// plan, by NoBackstop.
  std::uint64_t backstops_armed = 0;
  std::uint64_t backstops_fired = 0;
  std::array<std::uint64_t, kNoBackstops> backstops_refused{};
  /// Evictions of an earlier evictd that were continued.
  std::uint64_t adopted = 0;
  /// Passes that were held, by eviction::Reason.
  std::array<std::uint64_t, eviction::kReasonCount> held{};
};

}  // namespace evictd::engine
