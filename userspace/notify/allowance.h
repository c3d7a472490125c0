// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "evictd/time.h"

namespace evictd::notify {

/// A budget of a thread's time that grows as time passes. Pure: `now` is an argument.
class Allowance {
 public:
  /// Adds 1/`share` of the time since the last call, up to `most`. The first call sets `most`.
  void refill(MonoTime now, Duration most, Duration::rep share);
  [[nodiscard]] bool is_left() const { return saved_ > Duration{0}; }
  [[nodiscard]] bool is_whole(Duration most) const { return saved_ >= most; }
  void pay(Duration cost) { saved_ -= cost; }

 private:
  Duration saved_{};
  MonoTime refilled_at_{};
};

/// A budget for several users. Half of it is divided among them equally, so that none can spend
/// all. The other half serves users who have spent their part. Pure.
class DividedAllowance {
 public:
  /// Both halves together grow by 1/`share` of the time; each holds up to `most`.
  constexpr DividedAllowance(Duration most, Duration::rep share) : most_(most), share_(share) {}

  /// Refills the shared half and `own`, one of `all` users, up to `now`.
  void refill(Allowance& own, MonoTime now, std::size_t all);
  /// As of the last refill().
  [[nodiscard]] bool is_left(const Allowance& own) const {
    return own.is_left() || shared_.is_left();
  }
  /// Whether `own` has fully recovered: nothing of its part is spent any more.
  [[nodiscard]] bool is_whole(const Allowance& own, std::size_t all) const;
  void pay(Allowance& own, Duration cost) { (own.is_left() ? own : shared_).pay(cost); }

 private:
  Duration most_;
  Duration::rep share_;
  Allowance shared_;
};

}  // namespace evictd::notify
