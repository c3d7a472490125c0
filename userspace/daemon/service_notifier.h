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
  /// How long after each other alive() is to be said; nothing when no watchdog is set.
  /// Source: WATCHDOG_USEC. Half of it is what systemd advises; a third leaves time to be late. Not
  /// less than 1 ms.
  [[nodiscard]] static std::optional<Duration> watchdog_period();
};

}  // namespace evictd::daemon
