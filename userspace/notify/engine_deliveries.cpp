// SPDX-License-Identifier: Apache-2.0
// Decides which listeners are signalled when.
#include <vector>

#include "notify/engine.h"

namespace evictd::notify {
namespace {

/// A signalled eventfd is checked after this time.
constexpr Duration kRecentSweep = std::chrono::milliseconds(200);

}  // namespace

void Engine::deliver() {
  if (due_.empty()) {
    return;
  }
  const MonoTime now = clock_.now();
  const bool paying = deliveries_.owed() != 0;
  deliveries_.begin(now);
  auto found = registrations_.end();
  for (const RegistrationId id : due_) {
    // The ids of one threshold are in order, so the next one is mostly the right one. Counting owed
    // signals must be faster than delivering them.
    if (found != registrations_.end()) {
      ++found;
    }
    if (found == registrations_.end() || found->first != id) {
      found = registrations_.find(id);
    }
    if (found != registrations_.end() && deliveries_.give(found->second)) {
      given_.push_back(&found->second);
    }
  }
  due_.clear();
  signal_given();
  if (!paying && deliveries_.owed() != 0) {
    paying_timer_.arm(now);
  }
}

void Engine::signal_given() {
  if (given_.empty()) {
    return;
  }
  eventfds_.clear();
  for (const Registration* const registration : given_) {
    eventfds_.push_back(registration->eventfd.get());
  }
  // Before all work that no listener waits for.
  signaller_.signal(eventfds_);
  for (Registration* const registration : given_) {
    ++registration->deliveries;
    ++counters_.deliveries;
    schedule_soon_check(*registration);
  }
  given_.clear();
  arm_sweep();
}

void Engine::pay_owed() {
  paying_timer_.consume();
  const bool more = deliveries_.pay(clock_.now(), given_);
  std::vector<RegistrationId> ended;
  for (Registration* const registration : given_) {
    if (registration->is_removed && registration->owed == 0) {
      registration->is_removed = false;  // Each once.
      ended.push_back(registration->id);
    }
  }
  signal_given();
  for (const RegistrationId id : ended) {
    end_once_paid(registrations_.find(id));
  }
  if (deliveries_.owed() != 0) {
    paying_timer_.arm(deliveries_.next_turn(clock_.now(), more));
  }
}

void Engine::schedule_soon_check(Registration& registration) {
  if (registration.recent || registration.number < 0) {
    return;
  }
  if (sweeps_.recent.empty()) {
    sweeps_.recent_due = clock_.now() + kRecentSweep;
  }
  registration.recent = true;
  sweeps_.recent.push_back(registration.id);
}

}  // namespace evictd::notify
