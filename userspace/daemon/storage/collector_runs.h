// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/storage/collector_worker.h"
#include "evictd/time.h"
#include "export/record_parts.h"

namespace evictd::daemon {

/// Results of the last run of collectors, for the record of the pass that waited for them. Thread
/// rule: housekeeping.
class CollectorRuns {
 public:
  /// Begins a run and forgets the run before.
  void begin(std::uint64_t round, const std::vector<CollectorJob>& jobs);
  /// Ends a run; ignored unless it is the last one.
  void end(const CollectorsEnd& ended);
  /// The collectors in the order in which they ran, as of `moment`: a collector that ended later
  /// was running.
  [[nodiscard]] std::vector<exporting::RecordedCollector> as_of(MonoTime moment) const;

 private:
  std::uint64_t round_ = 0;
  std::vector<exporting::RecordedCollector> collectors_;
};

}  // namespace evictd::daemon
