// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/watchdog.h"

#include <optional>
#include <utility>

#include "evictd/try.h"

namespace evictd::daemon {

Result<Watchdog> Watchdog::create(Subject subject) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  return Watchdog(subject, std::move(timer));
}

void Watchdog::start(MonoTime now) {
  const std::optional<Duration> period = ServiceNotifier::watchdog_period();
  if (!period) {
    return;
  }
  service_.alive();
  ask_again(now, *period);
}

void Watchdog::on_timer(MonoTime now) {
  timer_.consume();
  const std::optional<Duration> period = ServiceNotifier::watchdog_period();
  if (!period) {
    return;
  }
  if (subject_.heartbeat->load() != last_heartbeat_) {
    service_.alive();
  }
  ask_again(now, *period);
}

void Watchdog::ask_again(MonoTime now, Duration period) {
  last_heartbeat_ = subject_.heartbeat->load();
  due_ = now + period;
  timer_.arm(due_);
  subject_.wake_up->signal();
}

}  // namespace evictd::daemon
