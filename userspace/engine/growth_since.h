// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "eviction/statistics.h"

namespace evictd::engine {

/// What growth is measured from.
enum class GrowthFrom : std::uint8_t { kThisReading, kBefore };

/// What each pod used when a wait began, and so how much more it uses now. One place a slot, made
/// at the start: allocates nothing afterwards. Pure.
class GrowthSince {
 public:
  explicit GrowthSince(std::size_t slots) : before_(slots) {}

  /// What was noted before means nothing any more.
  void begin() { ++round_; }
  void note(std::uint32_t slot, CgroupId pod, const eviction::PodReading& reading);
  /// Nothing for a pod that cannot be read, its whole use for one that was not there then.
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
