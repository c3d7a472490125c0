// SPDX-License-Identifier: Apache-2.0
#include "daemon/service_notifier.h"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <string>

namespace evictd::daemon {

namespace {

// A service manager that cannot be told is none of the daemon's business: failures are ignored.
void notify(const std::string& state) {
  sd_notify(/*unset_environment=*/0, state.c_str());
}

}  // namespace

void ServiceNotifier::ready() const {
  notify("READY=1");
}

void ServiceNotifier::reloading(MonoTime now) const {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us.count()));
}

void ServiceNotifier::stopping() const {
  notify("STOPPING=1");
}

void ServiceNotifier::alive() const {
  notify("WATCHDOG=1");
}

void ServiceNotifier::status(std::string_view line) const {
  notify("STATUS=" + std::string(line));
}

std::optional<Duration> ServiceNotifier::watchdog_interval() const {
  std::uint64_t usec = 0;
  if (sd_watchdog_enabled(/*unset_environment=*/0, &usec) <= 0) {
    return std::nullopt;
  }
  return std::chrono::microseconds(usec) / 2;
}

}  // namespace evictd::daemon
