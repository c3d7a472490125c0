// SPDX-License-Identifier: Apache-2.0
#include "notify/deliveries.h"

#include <algorithm>
#include <utility>

namespace evictd::notify {

void Deliveries::join(Registration& registration) {
  DeliveryAccount& account = accounts_[registration.owner];
  account.owner = registration.owner;
  ++account.registrations;
  registration.account = &account;
}

void Deliveries::leave(Registration& registration) {
  DeliveryAccount* const account = registration.account;
  if (account == nullptr) {
    return;
  }
  registration.account = nullptr;
  if (registration.owed != 0) {
    owed_ -= registration.owed;
    registration.owed = 0;
    account->owed_to.erase(registration.place);
    if (account->owed_to.empty()) {
      std::erase(waiting_, account);
    }
  }
  if (--account->registrations == 0) {
    accounts_.erase(account->owner);
  }
}

void Deliveries::begin(MonoTime now) {
  ++turn_;
  now_ = now;
}

bool Deliveries::may_be_given(DeliveryAccount& account) {
  if (account.turn != turn_) {
    account.turn = turn_;
    account.given = 0;
    all_.refill(account.own, now_, accounts_.size());
  }
  return account.given < kTurn && all_.is_left(account.own);
}

void Deliveries::count(DeliveryAccount& account) {
  ++account.given;
  all_.pay(account.own, kCost);
}

bool Deliveries::give(Registration& registration) {
  DeliveryAccount& account = *registration.account;
  // A user's new signal must not overtake those owed to the same user.
  if (account.owed_to.empty() && may_be_given(account)) {
    count(account);
    return true;
  }
  if (account.owed_to.empty()) {
    waiting_.push_back(&account);
  }
  if (registration.owed == 0) {
    registration.place = account.owed_to.insert(account.owed_to.end(), &registration);
  }
  ++registration.owed;
  ++owed_;
  return false;
}

bool Deliveries::pay(MonoTime now, std::vector<Registration*>& paid) {
  begin(now);
  round_ = round_.value_or(now);
  const std::size_t before = paid.size();
  bool more = false;
  for (std::size_t left = waiting_.size(); left > 0 && paid.size() == before; --left) {
    DeliveryAccount& account = *waiting_.front();
    waiting_.pop_front();
    while (!account.owed_to.empty() && may_be_given(account)) {
      pay_one(account, paid);
    }
    // A user without allowance has gained a little by the next turn, but not enough to continue.
    more = left > 1;
    if (!account.owed_to.empty()) {
      more = more || all_.is_left(account.own);
      waiting_.push_back(&account);
    }
  }
  return more && paid.size() != before;
}

MonoTime Deliveries::next_turn(MonoTime ended, bool more) {
  if (more) {
    return ended;
  }
  const Duration spent = ended - std::exchange(round_, std::nullopt).value_or(ended);
  return ended + std::max(kPause, spent * (kShare - 1));
}

void Deliveries::pay_one(DeliveryAccount& account, std::vector<Registration*>& paid) {
  Registration& next = *account.owed_to.front();
  paid.push_back(&next);
  count(account);
  --owed_;
  if (--next.owed == 0) {
    account.owed_to.pop_front();
  } else {
    // Crossings happened one after another, so a registration that is owed more goes to the end.
    account.owed_to.splice(account.owed_to.end(), account.owed_to, account.owed_to.begin());
  }
}

}  // namespace evictd::notify
