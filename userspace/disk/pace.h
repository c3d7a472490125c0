// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "evictd/time.h"

namespace evictd::disk {

/// Holds work on files back to so many steps a second, and tells it when to give up.
/// Thread rule: spend() and restart() by the working thread; the rest by any.
class Pace {
 public:
  /// One step more; waits while the steps so far are ahead of their time. False: give up.
  [[nodiscard]] bool spend();
  /// Starts to count anew, at another rate.
  void restart(std::int64_t steps_per_second);
  void cancel() { cancelled_.store(true); }
  void allow() { cancelled_.store(false); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::int64_t steps_per_second_ = 100'000;
  std::int64_t steps_ = 0;
  MonoTime began_at_{};
  std::atomic<bool> cancelled_{false};
};

}  // namespace evictd::disk
