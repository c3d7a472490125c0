// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "evictd/time.h"

namespace evictd::daemon {

/// Reports the daemon's state to the service manager (sd_notify(3)). Without one, does nothing.
/// Thread rule: housekeeping only.
class ServiceNotifier {
 public:
  /// False if the report failed: call it again.
  [[nodiscard]] bool ready() const;
  /// Read `now` right before the call: systemd compares it with its own time of the signal.
  void reloading(MonoTime now) const;
  void stopping() const;
  void alive() const;
  void status(std::string_view line) const;
  /// Interval between calls of alive(); nullopt if no watchdog is set. Source: WATCHDOG_USEC.
  /// systemd advises half of it; a third leaves time to be late. At least 1 ms.
  [[nodiscard]] static std::optional<Duration> watchdog_period();
};

}  // namespace evictd::daemon
