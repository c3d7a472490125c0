// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/collector_worker.h"
#include "evictd/time.h"
#include "export/record_parts.h"

namespace evictd::daemon {

/// What the collectors of the last run did, for the record of the pass that waited for them.
/// Thread rule: housekeeping.
class CollectorRuns {
 public:
  /// A run begins; what the one before did is forgotten.
  void begin(std::uint64_t round, const std::vector<CollectorJob>& jobs);
  /// A run has ended; one that is not the last is ignored.
  void end(const CollectorsEnd& ended);
  /// In the order in which they ran, as it stood at `moment`: what ended later was under way.
  [[nodiscard]] std::vector<exporting::RecordedCollector> as_of(MonoTime moment) const;

 private:
  std::uint64_t round_ = 0;
  std::vector<exporting::RecordedCollector> collectors_;
};

}  // namespace evictd::daemon
