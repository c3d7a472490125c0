// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::probe {

/// Whether a timer of this period, last run at `last_tick`, is stalled at `now`: it has missed four
/// periods.
[[nodiscard]] constexpr bool stands_still(MonoTime last_tick, Duration period, MonoTime now) {
  constexpr int kPeriods = 4;
  return now - last_tick > kPeriods * period;
}

}  // namespace evictd::probe
