// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "evictd/time.h"

namespace evictd::disk {

/// Holds work on files back to so many steps a second, and tells it when to give up.
/// Thread rule: spend(), restart() and what is allowed by the working thread; the rest by any.
class Pace {
 public:
  /// One step more; waits while the steps so far are ahead of their time. False: give up.
  [[nodiscard]] bool spend();
  /// Starts to count anew, at another rate.
  void restart(std::int64_t steps_per_second);
  /// Gives up after so many steps more, until the next call. Everything that there is without one.
  void allow_steps(std::int64_t steps) { steps_left_ = steps; }
  [[nodiscard]] std::int64_t steps_left() const { return steps_left_; }
  void allow_all_steps() { steps_left_ = kAll; }
  /// Whether that was the end: everybody is to give up, or the steps are used up.
  [[nodiscard]] bool given_up() const { return cancelled() || out_of_steps(); }
  [[nodiscard]] bool out_of_steps() const { return steps_left_ <= 0; }
  void cancel() { cancelled_.store(true); }
  void allow() { cancelled_.store(false); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  std::int64_t steps_per_second_ = 100'000;
  std::int64_t steps_ = 0;
  std::int64_t steps_left_ = kAll;
  MonoTime began_at_{};
  std::atomic<bool> cancelled_{false};
};

}  // namespace evictd::disk
