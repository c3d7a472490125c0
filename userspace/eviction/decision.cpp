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
    case Outcome::kEscalated:
      return "escalated";
    case Outcome::kHeld:
      return "held";
    case Outcome::kFailed:
      return "failed";
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
  }
  return "";
}

}  // namespace evictd::eviction
