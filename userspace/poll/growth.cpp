// SPDX-License-Identifier: Apache-2.0
#include "poll/growth.h"

#include <algorithm>
#include <chrono>

namespace evictd::poll {

std::int64_t growth_per_second(Bytes earlier, MonoTime earlier_at, Bytes later, MonoTime later_at) {
  return growth_per_second(earlier.value, earlier_at, later.value, later_at);
}

std::int64_t growth_per_second(std::int64_t earlier, MonoTime earlier_at, std::int64_t later,
                               MonoTime later_at) {
  const std::chrono::duration<double> passed = later_at - earlier_at;
  if (earlier < 0 || later < 0 || passed.count() <= 0) {
    return 0;
  }
  constexpr double kShortest = 1e-3;
  constexpr double kFastest = 1e18;
  const double rate = static_cast<double>(later - earlier) / std::max(passed.count(), kShortest);
  return static_cast<std::int64_t>(std::clamp(rate, -kFastest, kFastest));
}

}  // namespace evictd::poll
