// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "daemon/shared/messages.h"

namespace evictd::daemon {

/// Detects whether the kernel side's timer stalls, and what to tell the hot thread. Thread rule:
/// housekeeping.
class TimerWatch {
 public:
  /// Call it after each check of the timer. Returns the change, nullopt without one.
  [[nodiscard]] std::optional<SetPolling> take(bool stands_still) {
    if (stands_still == stalled_) {
      return std::nullopt;
    }
    stalled_ = stands_still;
    return SetPolling{.polling = stalled_};
  }
  [[nodiscard]] bool stalled() const { return stalled_; }

 private:
  bool stalled_ = false;
};

}  // namespace evictd::daemon
