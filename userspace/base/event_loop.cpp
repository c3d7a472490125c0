// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <span>

namespace evictd::base {
namespace {

timespec timespec_of(Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  return {.tv_sec = seconds.count(), .tv_nsec = (timeout - seconds).count()};
}

/// Rounded up, so that the caller does not wake before its moment and wait again for nothing.
int milliseconds_of(Duration timeout) {
  const std::int64_t milliseconds = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<int>(std::min<std::int64_t>(milliseconds, std::numeric_limits<int>::max()));
}

}  // namespace

Result<EventLoop> EventLoop::create() {
  Fd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) {
    return fail_errno(errno, "create an epoll set");
  }
  return EventLoop(std::move(epoll));
}

Result<> EventLoop::add(int fd, std::uint32_t events, ReadyHandler& handler) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &handler;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return fail_errno(errno, "watch descriptor " + std::to_string(fd));
  }
  return {};
}

void EventLoop::remove(int fd, const ReadyHandler& handler) {
  // Failure means that the descriptor is no longer watched, as requested.
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (epoll_event& event : std::span(ready_).first(static_cast<std::size_t>(ready_count_))) {
    if (event.data.ptr == &handler) {
      event.data.ptr = nullptr;
    }
  }
}

int EventLoop::wait(std::optional<Duration> timeout) {
  if (precise_) {
    const timespec limit = timespec_of(timeout.value_or(Duration{0}));
    const int count = epoll_pwait2(epoll_.get(), ready_.data(), kBatch, timeout ? &limit : nullptr,
                                   /*ss=*/nullptr);
    if (count >= 0 || errno != ENOSYS) {
      return count;
    }
    precise_ = false;
  }
  return epoll_wait(epoll_.get(), ready_.data(), kBatch, timeout ? milliseconds_of(*timeout) : -1);
}

Result<int> EventLoop::run_once(std::optional<Duration> timeout) {
  const int count = wait(timeout);
  if (count < 0) {
    if (errno == EINTR) {
      return 0;
    }
    return fail_errno(errno, "wait for events");
  }
  ready_count_ = count;
  int called = 0;
  for (int i = 0; i < ready_count_; ++i) {
    const epoll_event& event = ready_[static_cast<std::size_t>(i)];
    if (event.data.ptr != nullptr) {
      static_cast<ReadyHandler*>(event.data.ptr)->on_ready(event.events);
      ++called;
    }
  }
  ready_count_ = 0;
  return called;
}

}  // namespace evictd::base
