// SPDX-License-Identifier: Apache-2.0
#include "enforce/eviction_progress.h"

namespace evictd::enforce {

std::string_view to_string(EvictionState state) {
  switch (state) {
    case EvictionState::kTerminating:
      return "terminating";
    case EvictionState::kKilled:
      return "killed";
    case EvictionState::kExceededGrace:
      return "exceeded_grace";
    case EvictionState::kReleased:
      return "released";
  }
  return "terminating";
}

std::string_view to_string(SignalMethod method) {
  switch (method) {
    case SignalMethod::kCgroupKill:
      return "cgroup.kill";
    case SignalMethod::kPidfds:
      return "pidfds";
    case SignalMethod::kDryRun:
      return "dry_run";
    case SignalMethod::kKernel:
      return "kernel";
  }
  return "pidfds";
}

}  // namespace evictd::enforce
