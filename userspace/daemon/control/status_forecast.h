// SPDX-License-Identifier: Apache-2.0
// When a threshold is met at the present rate, in the status.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "daemon/control/node_growth.h"
#include "daemon/records/fall_cause.h"
#include "daemon/shared/pass_copy.h"
#include "disk/filesystems.h"
#include "eviction/threshold_table.h"
#include "probe/usage_table.h"

namespace evictd::daemon {

/// Sources of forecasts. Pointers are borrowed for the call.
struct ForecastSources {
  /// nullptr before the first pass: then there is no forecast.
  const PassCopy* last_pass = nullptr;
  /// The kernel side's table, which its timer refreshes; nullptr while passes read files.
  const probe::UsageTable* table = nullptr;
  /// Of the node's row in `table`; nullptr without one.
  const NodeGrowth* growth = nullptr;
  /// All pods with their present growth.
  std::vector<GrowingPod> pods = {};
  std::vector<disk::FilesystemReport> filesystems = {};
};

/// The forecast of one threshold, as docs/status.md describes it: from the kernel side's rows for
/// memory, from the newest reading for disks, else from the last pass. null if nothing knows how
/// fast its signal falls.
[[nodiscard]] nlohmann::ordered_json forecast_json(const ForecastSources& sources,
                                                   const eviction::ThresholdTable& thresholds,
                                                   std::size_t place, MonoTime now);

}  // namespace evictd::daemon
