// SPDX-License-Identifier: Apache-2.0
#include "notify/allowance.h"

#include <algorithm>

namespace evictd::notify {
namespace {

Duration::rep parts_of(std::size_t all) {
  return static_cast<Duration::rep>(std::max<std::size_t>(all, 1));
}

}  // namespace

void Allowance::refill(MonoTime now, Duration most, Duration::rep share) {
  if (refilled_at_ == MonoTime{}) {
    saved_ = most;
    refilled_at_ = now;
    return;
  }
  // A time too short to add anything counts at the next call.
  const Duration more = std::max((now - refilled_at_) / share, Duration{0});
  saved_ = std::min(saved_ + more, most);
  refilled_at_ += more * share;
}

void DividedAllowance::refill(Allowance& own, MonoTime now, std::size_t all) {
  const Duration::rep half = 2 * share_;
  own.refill(now, most_ / parts_of(all), half * parts_of(all));
  shared_.refill(now, most_, half);
}

bool DividedAllowance::is_whole(const Allowance& own, std::size_t all) const {
  return own.is_whole(most_ / parts_of(all));
}

}  // namespace evictd::notify
