// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "evictd/time.h"

namespace evictd::disk {

/// Limits file work to a number of steps a second, and tells it when to give up.
/// Thread rule: the working thread calls spend(), restart() and the step limits; any thread the
/// rest.
class Pace {
 public:
  /// Takes one step; waits while the steps so far exceed the rate. False: give up.
  [[nodiscard]] bool spend();
  /// Restarts the count, at another rate.
  void restart(std::int64_t steps_per_second);
  /// Gives up after this many further steps, until the next call. Unlimited without a call.
  void allow_steps(std::int64_t steps) { steps_left_ = steps; }
  [[nodiscard]] std::int64_t steps_left() const { return steps_left_; }
  void allow_all_steps() { steps_left_ = kAll; }
  /// Whether to give up: the work is cancelled, or the steps are used up.
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
