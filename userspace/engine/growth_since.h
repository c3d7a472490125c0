// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "eviction/statistics.h"

namespace evictd::engine {

/// Start of a measurement of growth.
enum class GrowthFrom : std::uint8_t { kThisReading, kBefore };

/// Growth of each pod since a wait began: remembers its usage at that time. One place per slot,
/// allocated at construction only. Pure.
class GrowthSince {
 public:
  explicit GrowthSince(std::size_t slots) : before_(slots) {}

  /// Begins a new wait: earlier notes no longer count.
  void begin() { ++round_; }
  void note(std::uint32_t slot, CgroupId pod, const eviction::PodReading& reading);
  /// 0 for a pod that cannot be read; its whole usage for a pod that was not there then.
  [[nodiscard]] Bytes of(std::uint32_t slot, CgroupId pod,
                         const eviction::PodReading& reading) const;

 private:
  struct Before {
    std::uint64_t round = 0;
    CgroupId pod;
    std::int64_t working_set = 0;
  };

  std::vector<Before> before_;
  std::uint64_t round_ = 0;
};

}  // namespace evictd::engine
