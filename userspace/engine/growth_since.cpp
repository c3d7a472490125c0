// SPDX-License-Identifier: Apache-2.0
#include "engine/growth_since.h"

#include <algorithm>

namespace evictd::engine {

void GrowthSince::note(std::uint32_t slot, CgroupId pod, const eviction::PodReading& reading) {
  if (slot < before_.size() && reading.state == eviction::ReadingState::kRead) {
    before_[slot] = {.round = round_, .pod = pod, .working_set = reading.working_set_bytes};
  }
}

Bytes GrowthSince::of(std::uint32_t slot, CgroupId pod, const eviction::PodReading& reading) const {
  if (slot >= before_.size() || reading.state != eviction::ReadingState::kRead) {
    return Bytes{0};
  }
  const Before& before = before_[slot];
  const bool was_there = before.round == round_ && before.pod == pod;
  return Bytes{
      std::max<std::int64_t>(reading.working_set_bytes - (was_there ? before.working_set : 0), 0)};
}

}  // namespace evictd::engine
