// SPDX-License-Identifier: Apache-2.0
#include "disk/pace.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/system_clock.h"

namespace evictd::disk {

namespace {

/// Steps between two looks at the clock.
constexpr std::int64_t kStepsALook = 64;

/// Between two looks at whether to give up.
constexpr Duration kLongestNap = std::chrono::milliseconds(50);

void nap(Duration time) {
  const timespec length{.tv_sec = 0, .tv_nsec = static_cast<long>(time.count())};
  ::nanosleep(&length, nullptr);
}

}  // namespace

void Pace::restart(std::int64_t steps_per_second) {
  steps_per_second_ = steps_per_second;
  steps_ = 0;
  began_at_ = base::SystemClock{}.now();
}

bool Pace::spend() {
  if (out_of_steps()) {
    return false;
  }
  ++steps_;
  --steps_left_;
  if (steps_ % kStepsALook != 0) {
    return !cancelled();
  }
  const base::SystemClock clock;
  const auto due = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(
      static_cast<double>(steps_) / static_cast<double>(steps_per_second_)));
  for (MonoTime now = clock.now(); !cancelled() && now < began_at_ + due; now = clock.now()) {
    nap(std::min(kLongestNap, began_at_ + due - now));
  }
  return !cancelled();
}

}  // namespace evictd::disk
