// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/actions/journal_line.h"
#include "kube/actions/queue_state.h"

namespace evictd::kube {

struct PlannerOptions {
  std::string node;
  /// Finds the controller that recreates the pod with this uid; nullopt if none is known.
  std::function<std::optional<Controller>(const std::string& uid)> find_controller{};
};

/// Journal lines, by what the planner did with them.
struct PlannerCounters {
  std::uint64_t evictions = 0;
  /// The pod's namespace, name or uid is not valid in the API.
  std::uint64_t unnamed = 0;
  /// Evictions of pods without a known controller: no loop can be detected for them.
  std::uint64_t uncontrolled = 0;
  /// Evictions that completed a loop.
  std::uint64_t loops = 0;
};

/// Derives the entries for a journal line that was not taken yet. Creates none for a dry run, or
/// for a line that repeats a decision to report its end. Pure.
[[nodiscard]] TakenLine plan(const JournalLine& line, const QueueState& state,
                             const PlannerOptions& options, PlannerCounters& counters);

}  // namespace evictd::kube
