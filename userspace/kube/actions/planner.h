// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kube/actions/journal_line.h"
#include "kube/actions/queue_state.h"

namespace evictd::kube {

/// Says what is to be done for a line of the journal that was not taken yet. A dry run, and a line
/// that repeats a decision with its end, call for nothing. Pure.
struct PlannerOptions {
  std::string node;
};

/// Lines from which nothing was made although they tell of somebody.
struct PlannerCounters {
  std::uint64_t evictions = 0;
  /// Of a pod that has no namespace, name or uid as the API has them.
  std::uint64_t unnamed = 0;
};

[[nodiscard]] TakenLine plan(const JournalLine& line, const QueueState& state,
                             const PlannerOptions& options, PlannerCounters& counters);

}  // namespace evictd::kube
