// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <cerrno>
#include <span>

namespace evictd::base {

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
  // Failure means that the descriptor is not watched any more, which is what was asked for.
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (epoll_event& event : std::span(ready_).first(static_cast<std::size_t>(ready_count_))) {
    if (event.data.ptr == &handler) {
      event.data.ptr = nullptr;
    }
  }
}

Result<int> EventLoop::run_once(std::optional<Duration> timeout) {
  timespec limit{};
  if (timeout) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*timeout);
    limit.tv_sec = seconds.count();
    limit.tv_nsec = (*timeout - seconds).count();
  }
  const int count = epoll_pwait2(epoll_.get(), ready_.data(), kBatch, timeout ? &limit : nullptr,
                                 /*ss=*/nullptr);
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
