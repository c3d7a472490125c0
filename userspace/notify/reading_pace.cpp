// SPDX-License-Identifier: Apache-2.0
#include "notify/reading_pace.h"

#include <algorithm>

namespace evictd::notify {

bool ReadingPace::may_follow(Allowance& own, MonoTime now, std::size_t all) {
  hints_.refill(own, now, all);
  return hints_.is_left(own);
}

void ReadingPace::follow(Allowance& own, Duration cost) {
  hints_.pay(own, std::min(cost, kMostSaved));
}

MonoTime ReadingPace::next_turn(MonoTime began, Duration cost, std::size_t read, std::size_t all) {
  const Duration even =
      kPeriod * static_cast<Duration::rep>(read) / static_cast<Duration::rep>(all);
  return began + std::min(std::max(even, cost * kShare), kLongestWait);
}

}  // namespace evictd::notify
