// SPDX-License-Identifier: Apache-2.0
#include "core/stand_by.h"

#include <algorithm>

namespace evictd::core {

void StandBy::begin(MonoTime now, Duration away) {
  if (under_way()) {
    end(now);
  }
  const Duration since = saved_at_ == MonoTime{} ? Duration{0} : now - saved_at_;
  const Duration earned =
      since >= std::chrono::seconds(4) ? kMostSaved : since * kPerSecond.count() / 1'000'000'000;
  saved_ = std::min(saved_ + earned, kMostSaved);
  saved_at_ = now;
  const Duration wanted = std::clamp(std::min(away, kLongest) * 3 / 2, kShortest, kLongest);
  const Duration allowed = std::min(saved_, wanted);
  if (allowed > Duration{0}) {
    began_ = now;
    until_ = now + allowed;
  }
}

void StandBy::end(MonoTime now) {
  saved_ = std::max(saved_ - (now - began_), Duration{0});
  until_ = {};
}

}  // namespace evictd::core
