// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::base {

/// One timerfd on CLOCK_MONOTONIC, armed for absolute moments, so neither a step of the wall clock
/// nor a late caller shifts it. descriptor() is readable (EPOLLIN) once the moment has come.
class Timer {
 public:
  static Result<Timer> create();

  /// Fires once at `when`, immediately if that is past. Replaces an earlier arm(). Cost: one system
  /// call, none if it is armed for `when` already.
  void arm(MonoTime when);
  void disarm();
  /// Consumes the expiry, so that the descriptor is no longer ready. Returns false if there was
  /// none.
  bool consume();

  [[nodiscard]] int descriptor() const { return fd_.get(); }

 private:
  explicit Timer(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
  /// The moment that the kernel is armed for; the epoch when disarmed.
  MonoTime armed_for_{};
};

/// One eventfd that wakes another thread's loop. It may be signalled many times before it is
/// consumed.
class WakeUp {
 public:
  static Result<WakeUp> create();

  /// Makes the descriptor ready. Safe from any thread and from signal handlers; never blocks.
  void signal() const;
  /// Consumes all signals so far and returns their number.
  std::uint64_t consume() const;

  [[nodiscard]] int descriptor() const { return fd_.get(); }

 private:
  explicit WakeUp(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace evictd::base
