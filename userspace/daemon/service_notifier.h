// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "evictd/time.h"

namespace evictd::daemon {

/// Tells the service manager (sd_notify(3)) how the daemon stands. Without one, nothing happens.
/// Thread rule: housekeeping only.
class ServiceNotifier {
 public:
  /// False when it could not be told: say it again.
  [[nodiscard]] bool ready() const;
  /// `now` must be read right before: systemd compares it with its own moment of the signal.
  void reloading(MonoTime now) const;
  void stopping() const;
  void alive() const;
  void status(std::string_view line) const;
  /// How often alive() is expected at least; nothing when no watchdog is set.
  /// Source: WATCHDOG_USEC, half of it as systemd advises.
  [[nodiscard]] std::optional<Duration> watchdog_interval() const;
};

}  // namespace evictd::daemon
