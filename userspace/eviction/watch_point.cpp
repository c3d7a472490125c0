// SPDX-License-Identifier: Apache-2.0
#include "eviction/watch_point.h"

#include <algorithm>
#include <limits>

#include "eviction/amounts.h"

namespace evictd::eviction {
namespace {

std::int64_t cut(Wide amount) {
  constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(amount, kLeast, kMost));
}

}  // namespace

std::optional<std::int64_t> use_at_crossing(const Threshold& threshold, std::int64_t capacity) {
  const bool countable = is_memory(threshold.signal) || threshold.signal == Signal::kPidAvailable;
  if (!countable || threshold.op != ThresholdOperator::kLessThan) {
    return std::nullopt;
  }
  // Met while available < limit, that is from capacity - use = limit - 1 on.
  const Wide limit = quantity_of(threshold.value, capacity).ceiling();
  return cut(Wide{capacity} - limit + 1);
}

}  // namespace evictd::eviction
