// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "daemon/messages.h"
#include "evictd/cgroup_id.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// The last evictions, each kept up to date until its pod's resources are free.
/// Thread rule: housekeeping only.
class RecordStore {
 public:
  /// Keeps this many; older ones are forgotten.
  static constexpr std::size_t kKept = 128;

  /// Adds `record`, gives it the next id and returns it as it is kept.
  const exporting::EvictionRecord& add(exporting::EvictionRecord record, CgroupId pod);
  /// Notes a step of the newest eviction of its pod, real or dry as the step is. Returns its
  /// record, nullptr if there is none.
  const exporting::EvictionRecord* note(const EvictionStep& message);

  [[nodiscard]] std::deque<exporting::EvictionRecord> latest() const;
  [[nodiscard]] std::uint64_t count() const { return next_id_ - 1; }

 private:
  struct Kept {
    CgroupId pod;
    exporting::EvictionRecord record;
  };
  std::deque<Kept> kept_;
  std::uint64_t next_id_ = 1;
};

}  // namespace evictd::daemon
