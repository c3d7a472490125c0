// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "evictd/time.h"

namespace evictd::notify {

/// What may be spent of a thread's time: saved up while time goes by. Pure: `now` is an argument.
class Allowance {
 public:
  /// A `share`th of the time since the last call is added, up to `most`; the first time there is
  /// `most`.
  void refill(MonoTime now, Duration most, Duration::rep share);
  [[nodiscard]] bool is_left() const { return saved_ > Duration{0}; }
  [[nodiscard]] bool is_whole(Duration most) const { return saved_ >= most; }
  void pay(Duration cost) { saved_ -= cost; }

 private:
  Duration saved_{};
  MonoTime refilled_at_{};
};

/// What several may spend. Half of it is divided among them in equal parts, so that nobody can
/// spend all; the other half is for whoever has spent its part. Pure.
class DividedAllowance {
 public:
  /// Both halves together get a `share`th of the time; each saves up to `most`.
  constexpr DividedAllowance(Duration most, Duration::rep share) : most_(most), share_(share) {}

  /// Brings what one of `all` has up to `now`.
  void refill(Allowance& own, MonoTime now, std::size_t all);
  /// As of the last refill().
  [[nodiscard]] bool is_left(const Allowance& own) const {
    return own.is_left() || shared_.is_left();
  }
  /// Nothing of its part is spent any more.
  [[nodiscard]] bool is_whole(const Allowance& own, std::size_t all) const;
  void pay(Allowance& own, Duration cost) { (own.is_left() ? own : shared_).pay(cost); }

 private:
  Duration most_;
  Duration::rep share_;
  Allowance shared_;
};

}  // namespace evictd::notify
