// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "daemon/messages.h"

namespace evictd::daemon {

/// Whether the kernel side's timer stands still, and what the hot thread is to be told of that.
/// Thread rule: housekeeping.
class TimerWatch {
 public:
  /// Of each look at the timer. What changes with it, nothing while it is as before.
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
