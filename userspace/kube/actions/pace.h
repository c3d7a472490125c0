// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "evictd/time.h"

namespace evictd::kube {

/// Rate limit: an average number a second, with bursts of the same number. Pure.
class Pace {
 public:
  explicit Pace(int per_second) : interval_(kAhead / per_second) {}

  /// The earliest time at which the next one may be taken.
  [[nodiscard]] MonoTime ready_at() const { return paid_until_ - (kAhead - interval_); }
  void take(MonoTime now) { paid_until_ = std::max(paid_until_, now) + interval_; }

 private:
  static constexpr Duration kAhead = std::chrono::seconds(1);

  Duration interval_;
  /// The epoch is long past.
  MonoTime paid_until_{};
};

}  // namespace evictd::kube
