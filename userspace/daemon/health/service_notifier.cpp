// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/service_notifier.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace evictd::daemon {

namespace {

/// So that no value of WATCHDOG_USEC keeps a CPU busy.
constexpr Duration kShortestWatchdogPeriod = std::chrono::milliseconds(1);

/// False if there is a service manager and the report failed.
bool notify(const std::string& state) {
  return sd_notify(/*unset_environment=*/0, state.c_str()) >= 0;
}

}  // namespace

bool ServiceNotifier::ready() const {
  return notify("READY=1");
}

// Errors of the other reports are ignored: the next one follows soon, or no process waits for it.

void ServiceNotifier::reloading(MonoTime now) const {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  static_cast<void>(notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us.count())));
}

void ServiceNotifier::stopping() const {
  static_cast<void>(notify("STOPPING=1"));
}

void ServiceNotifier::alive() const {
  static_cast<void>(notify("WATCHDOG=1"));
}

void ServiceNotifier::status(std::string_view line) const {
  static_cast<void>(notify("STATUS=" + std::string(line)));
}

std::optional<Duration> ServiceNotifier::watchdog_period() {
  std::uint64_t usec = 0;
  if (sd_watchdog_enabled(/*unset_environment=*/0, &usec) <= 0) {
    return std::nullopt;
  }
  return std::max<Duration>(std::chrono::microseconds(usec) / 3, kShortestWatchdogPeriod);
}

}  // namespace evictd::daemon
