// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::notify {

/// Adds 1 to eventfds of other processes without ever blocking.
///
/// write() may block: a full eventfd blocks the writer, and its owner can change its O_NONBLOCK
/// flag at any time. So this class lets the kernel signal them, as it does for its own
/// notifications: it submits asynchronous requests that complete at once (a poll of something
/// ready) and name the eventfd to signal. A full counter stays full.
class EventfdSignaller {
 public:
  /// Errors: sys_errno ENOSYS if the kernel has no asynchronous I/O, EAGAIN if the machine's
  /// contexts are used up (fs.aio-max-nr).
  [[nodiscard]] static Result<EventfdSignaller> create();
  /// Explains a failure of io_setup() with `sys_errno`, and the remedy.
  [[nodiscard]] static std::string refusal(int sys_errno);
  EventfdSignaller(const EventfdSignaller&) = delete;
  EventfdSignaller& operator=(const EventfdSignaller&) = delete;
  EventfdSignaller(EventfdSignaller&& other) noexcept;
  EventfdSignaller& operator=(EventfdSignaller&&) = delete;
  ~EventfdSignaller();

  /// Adds 1 to each of `eventfds`, in this order; one that occurs twice gets 2. Skips descriptors
  /// that are no eventfds. Returns the number signalled. Cost: about 1 us each.
  std::size_t signal(const std::vector<int>& eventfds);
  /// Executes the code path of signal() without signalling, to warm the caches.
  void rehearse();

 private:
  struct Requests;

  EventfdSignaller(unsigned long context, base::Fd ready);
  /// As io_submit(): the number signalled, negative if the first is refused.
  long tell(std::span<const int> eventfds);
  void reap();

  unsigned long context_ = 0;
  /// Always readable.
  base::Fd ready_;
  /// Written once, except for the eventfds to signal.
  std::unique_ptr<Requests> requests_;
};

}  // namespace evictd::notify
