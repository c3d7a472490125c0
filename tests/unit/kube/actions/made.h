// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/rfc3339.h"
#include "kube/actions/journal_line.h"
#include "kube/actions/planner.h"
#include "kube/actions/queue_state.h"

namespace evictd::kube::test {

inline WallTime at(const std::string& time) {
  return core::wall_time_from_rfc3339(time).value_or(WallTime{});
}

/// An eviction as a record of evictd tells of it.
inline JournalLine evicted(std::uint64_t seq, const std::string& uid) {
  return {.kind = JournalLine::Kind::kDecision,
          .seq = seq,
          .id = seq,
          .time = "2026-11-20T22:03:11.5Z",
          .ns = "n",
          .name = "pod-" + uid,
          .uid = uid,
          .state = "killed",
          .outcome = "evicted",
          .trigger = "event",
          .message = "low on memory",
          .annotations = {{"starved_resource", "memory"}},
          .events = {{.is_on_node = true, .type = "Warning", .reason = "R", .message = "m"},
                     {.is_on_node = false, .type = "Warning", .reason = "Evicted", .message = "e"}},
          .condition = PodCondition{"DisruptionTarget", "True", "TerminationByKubelet", "low"}};
}

inline TakenLine planned(const JournalLine& line, const QueueState& state) {
  PlannerCounters counters;
  return plan(line, state, {.node = "node1"}, counters);
}

/// Takes a line as the queue does, through its text.
inline void take(QueueState& state, const JournalLine& line) {
  const Result<> applied = state.apply(QueueState::taken_text(planned(line, state)));
  ASSERT_TRUE(applied) << applied.error().message();
}

inline std::string status_body(const std::string& message, const std::string& details = "{}") {
  return R"({"kind":"Status","message":")" + message + R"(","details":)" + details + "}";
}

}  // namespace evictd::kube::test
