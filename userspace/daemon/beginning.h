// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "daemon/in_flight.h"
#include "evictd/usage.h"

namespace evictd::daemon {

/// How the eviction of a pod is to begin.
struct Beginning {
  std::chrono::milliseconds grace{0};
  /// Where it is while its grace runs.
  InFlightTable::Phase in_grace = InFlightTable::Phase::kHardGrace;
  bool holds_disk = false;
  bool for_own_limit = false;
  /// For pid.available, and with a grace.
  bool hold_tasks = false;
  CgroupUsage usage;  ///< As it was read for the pass.
};

}  // namespace evictd::daemon
