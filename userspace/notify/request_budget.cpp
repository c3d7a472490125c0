// SPDX-License-Identifier: Apache-2.0
#include "notify/request_budget.h"

#include <algorithm>
#include <iterator>

namespace evictd::notify {

bool RequestBudget::is_left(uid_t uid, MonoTime now) {
  if (!users_.contains(uid)) {
    forget_rested(now);
  }
  Allowance& own = users_[uid];
  all_.refill(own, now, users_.size());
  return all_.is_left(own);
}

void RequestBudget::pay(uid_t uid, Duration cost) {
  all_.pay(users_[uid], std::min(cost, kMostSaved));
}

bool RequestBudget::may_connect(MonoTime now) {
  connecting_.refill(now, kMostSavedToConnect, kConnectingShare);
  return connecting_.is_left();
}

void RequestBudget::forget_rested(MonoTime now) {
  const std::size_t all = users_.size();
  for (auto user = users_.begin(); user != users_.end();) {
    all_.refill(user->second, now, all);
    user = all_.is_whole(user->second, all) ? users_.erase(user) : std::next(user);
  }
}

}  // namespace evictd::notify
