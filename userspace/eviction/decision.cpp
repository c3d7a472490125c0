// SPDX-License-Identifier: Apache-2.0
#include "eviction/decision.h"

namespace evictd::eviction {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNothingMet:
      return "nothing_met";
    case Outcome::kInGrace:
      return "in_grace";
    case Outcome::kStale:
      return "stale";
    case Outcome::kReclaiming:
      return "reclaiming";
    case Outcome::kReclaimed:
      return "reclaimed";
    case Outcome::kNoCandidates:
      return "no_candidates";
    case Outcome::kAllProtected:
      return "all_protected";
    case Outcome::kEvicted:
      return "evicted";
    case Outcome::kOomGuard:
      return "oom_guard";
    case Outcome::kEscalated:
      return "escalated";
    case Outcome::kHeld:
      return "held";
    case Outcome::kFailed:
      return "failed";
  }
  return "";
}

std::string_view to_string(DiskBasis basis) {
  switch (basis) {
    case DiskBasis::kMeasured:
      return "measured";
    case DiskBasis::kCertain:
      return "certain";
    case DiskBasis::kBestKnown:
      return "best_known";
  }
  return "";
}

std::string_view to_string(Choice choice) {
  switch (choice) {
    case Choice::kAnybody:
      return "anybody";
    case Choice::kNobody:
      return "nobody";
    case Choice::kGrower:
      return "grower";
    case Choice::kAboveRequest:
      return "above_request";
  }
  return "";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "";
    case Reason::kNoStatistics:
      return "no_statistics";
    case Reason::kNoLayout:
      return "no_layout";
    case Reason::kReleasePending:
      return "release_pending";
    case Reason::kVictimInGrace:
      return "victim_in_grace";
    case Reason::kCollectorsBusy:
      return "collectors_busy";
    case Reason::kUsagePending:
      return "usage_pending";
    case Reason::kLeftBehind:
      return "left_behind";
    case Reason::kPaused:
      return "paused";
    case Reason::kEvictionRate:
      return "eviction_rate";
    case Reason::kNoCapacity:
      return "no_capacity";
    case Reason::kAboveCapacity:
      return "available_above_capacity";
    case Reason::kUnexplainedJump:
      return "unexplained_jump";
    case Reason::kStatisticsStuck:
      return "statistics_stuck";
  }
  return "";
}

std::string_view describe(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "";
    case Reason::kNoStatistics:
      return "statistics could not be read";
    case Reason::kNoLayout:
      return "the disk layout could not be determined";
    case Reason::kReleasePending:
      return "waiting for earlier victims to release their resources";
    case Reason::kVictimInGrace:
      return "an earlier victim is still within its grace period";
    case Reason::kCollectorsBusy:
      return "the collectors of an earlier pass are still running";
    case Reason::kUsagePending:
      return "the disk usage of pods is being measured";
    case Reason::kLeftBehind:
      return "killed pods still hold more memory than is missing, and no pod exceeds its request";
    case Reason::kPaused:
      return "evictions are paused by request";
    case Reason::kEvictionRate:
      return "maxEvictionsPerMinute is used up";
    case Reason::kNoCapacity:
      return "the observed capacity is zero or less";
    case Reason::kAboveCapacity:
      return "the observed available value exceeds the capacity";
    case Reason::kUnexplainedJump:
      return "the observed usage grew faster than is possible on this machine";
    case Reason::kStatisticsStuck:
      return "the statistics did not change after a victim's memory was freed";
  }
  return "";
}

}  // namespace evictd::eviction
