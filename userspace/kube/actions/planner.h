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
  /// Whose controller makes the pod with this uid anew; nothing where none is known.
  std::function<std::optional<Controller>(const std::string& uid)> find_controller{};
};

/// Lines from which nothing was made although they tell of somebody.
struct PlannerCounters {
  std::uint64_t evictions = 0;
  /// Of a pod that has no namespace, name or uid as the API has them.
  std::uint64_t unnamed = 0;
  /// Evictions of pods of which no controller is known: no loop can be seen in them.
  std::uint64_t uncontrolled = 0;
  /// Evictions that made a loop.
  std::uint64_t loops = 0;
};

/// Says what is to be done for a line of the journal that was not taken yet. A dry run, and a line
/// that repeats a decision with its end, call for nothing. Pure.
[[nodiscard]] TakenLine plan(const JournalLine& line, const QueueState& state,
                             const PlannerOptions& options, PlannerCounters& counters);

}  // namespace evictd::kube
