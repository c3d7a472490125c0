// SPDX-License-Identifier: Apache-2.0
#include "engine/pass_trigger.h"

namespace evictd::engine {

eviction::Cadence cadence_of(PassTrigger trigger) {
  switch (trigger) {
    case PassTrigger::kCrossing:
    case PassTrigger::kStall:
    case PassTrigger::kApproach:
    case PassTrigger::kDisk:
    case PassTrigger::kReport:
      return eviction::Cadence::kEventOnly;
    case PassTrigger::kRegular:
    case PassTrigger::kDeadline:
    case PassTrigger::kRelease:
    case PassTrigger::kRequest:
      return eviction::Cadence::kRegular;
  }
  return eviction::Cadence::kRegular;
}

std::string_view to_string(PassTrigger trigger) {
  switch (trigger) {
    case PassTrigger::kRegular:
      return "regular";
    case PassTrigger::kCrossing:
      return "crossing";
    case PassTrigger::kStall:
      return "stall";
    case PassTrigger::kApproach:
      return "approach";
    case PassTrigger::kDeadline:
      return "deadline";
    case PassTrigger::kRelease:
      return "release";
    case PassTrigger::kRequest:
      return "request";
    case PassTrigger::kDisk:
      return "disk";
    case PassTrigger::kReport:
      return "report";
  }
  return "regular";
}

}  // namespace evictd::engine
