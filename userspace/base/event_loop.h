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
  /// including its own.
  virtual void on_ready(std::uint32_t events) = 0;
};

/// One epoll set of one thread. Level-triggered; allocates nothing after create().
/// Thread rule: only the thread that calls run_once() may use it, except for descriptor().
class EventLoop {
 public:
  static Result<EventLoop> create();

  /// Watches `fd` for `events`; `handler` is borrowed until remove(fd).
  /// Errors: those of epoll_ctl(2); kIo with EEXIST if `fd` is watched already.
  Result<> add(int fd, std::uint32_t events, ReadyHandler& handler);
  /// Stops watching `fd`. Events that are ready for `handler` but not yet dispatched are dropped.
  void remove(int fd, const ReadyHandler& handler);

  /// Waits until a descriptor is ready, at most `timeout` (none: without limit), and calls the
  /// handlers. Returns the number of calls; 0 after a timeout or an interrupting signal. A kernel
  /// before 5.11 has no epoll_pwait2: `timeout` is then rounded up to milliseconds.
  Result<int> run_once(std::optional<Duration> timeout = std::nullopt);

  /// The epoll descriptor, which may itself be watched by another loop.
  [[nodiscard]] int descriptor() const { return epoll_.get(); }

 private:
  explicit EventLoop(Fd epoll) : epoll_(std::move(epoll)) {}

  /// Calls epoll_pwait2, or epoll_wait where the kernel lacks it.
  int wait(std::optional<Duration> timeout);

  /// Most ready descriptors taken in one call. The rest wait for the next call.
  static constexpr int kBatch = 32;

  Fd epoll_;
  /// False once the kernel has refused epoll_pwait2.
  bool precise_ = true;
  std::array<epoll_event, kBatch> ready_{};
  int ready_count_ = 0;
};

}  // namespace evictd::base
