// SPDX-License-Identifier: Apache-2.0
#include "base/timer.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>

namespace evictd::base {

Result<Timer> Timer::create() {
  Fd fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "create a timer");
  }
  return Timer(std::move(fd));
}

void Timer::arm(MonoTime when) {
  // A zero value would disarm the timer. The clock's first nanosecond is as much in the past as its
  // origin.
  when = std::max(when, MonoTime(Duration(1)));
  if (when == armed_for_) {
    return;
  }
  const auto since_origin = when.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_origin);
  itimerspec spec{};
  spec.it_value.tv_sec = seconds.count();
  spec.it_value.tv_nsec = (since_origin - seconds).count();
  timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
  armed_for_ = when;
}

void Timer::disarm() {
  if (armed_for_ == MonoTime{}) {
    return;
  }
  const itimerspec spec{};
  timerfd_settime(fd_.get(), 0, &spec, nullptr);
  armed_for_ = MonoTime{};
}

bool Timer::consume() {
  std::uint64_t expiries = 0;
  if (read(fd_.get(), &expiries, sizeof expiries) != sizeof expiries) {
    return false;
  }
  armed_for_ = MonoTime{};
  return true;
}

Result<WakeUp> WakeUp::create() {
  Fd fd(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "create an eventfd");
  }
  return WakeUp(std::move(fd));
}

void WakeUp::signal() const {
  const std::uint64_t one = 1;
  // Fails only if the counter is at its maximum: then the reader is awake already.
  [[maybe_unused]] const ssize_t written = write(fd_.get(), &one, sizeof one);
}

std::uint64_t WakeUp::consume() const {
  std::uint64_t signals = 0;
  if (read(fd_.get(), &signals, sizeof signals) != sizeof signals) {
    return 0;
  }
  return signals;
}

}  // namespace evictd::base
