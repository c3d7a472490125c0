// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::base {

/// Called when a descriptor that an EventLoop watches is ready.
class ReadyHandler {
 public:
  virtual ~ReadyHandler() = default;
  /// `events` is the EPOLL* mask of what is ready. The handler may add and remove descriptors,
  /// its own included.
  virtual void on_ready(std::uint32_t events) = 0;
};

/// One epoll set of one thread. Level-triggered; no allocation after create().
/// Thread rule: everything but descriptor() belongs to the thread that calls run_once().
class EventLoop {
 public:
  static Result<EventLoop> create();

  /// Watches `fd` for `events`; `handler` is borrowed until remove(fd).
  /// Errors: what epoll_ctl says, kBusy-like EEXIST as kIo when `fd` is watched already.
  Result<> add(int fd, std::uint32_t events, ReadyHandler& handler);
  /// Stops watching `fd`; also takes back what was ready but not yet dispatched for `handler`.
  void remove(int fd, const ReadyHandler& handler);

  /// Waits until something is ready, at most `timeout` (none: for ever), and calls the handlers.
  /// Returns how many were called; 0 after a time-out or an interrupting signal. Where the kernel
  /// has no epoll_pwait2 (before 5.11) `timeout` is rounded up to milliseconds.
  Result<int> run_once(std::optional<Duration> timeout = std::nullopt);

  /// The epoll descriptor, which may itself be watched by another loop.
  [[nodiscard]] int descriptor() const { return epoll_.get(); }

 private:
  explicit EventLoop(Fd epoll) : epoll_(std::move(epoll)) {}

  /// epoll_pwait2, or epoll_wait where there is none.
  int wait(std::optional<Duration> timeout);

  /// Ready descriptors taken from the kernel a call; more of them wait for the next call.
  static constexpr int kBatch = 32;

  Fd epoll_;
  /// False once the kernel has refused the call that takes nanoseconds.
  bool precise_ = true;
  std::array<epoll_event, kBatch> ready_{};
  int ready_count_ = 0;
};

}  // namespace evictd::base
