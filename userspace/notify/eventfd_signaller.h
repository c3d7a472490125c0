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

/// Adds 1 to eventfds of others, and never waits for them.
///
/// A write() may: an eventfd that its owner has filled to the brim blocks the writer, and whether
/// it does so is the owner's to change at any moment. So the kernel is asked to signal them as it
/// does for its own notifications, by asynchronous requests that are complete at once (a poll of
/// something that is ready) and name the eventfd as the one to tell. A full counter stays full.
class EventfdSignaller {
 public:
  /// Errors: sys_errno ENOSYS where the kernel has no asynchronous I/O, EAGAIN when the machine's
  /// contexts are used up (fs.aio-max-nr).
  [[nodiscard]] static Result<EventfdSignaller> create();
  /// What io_setup() refusing with `sys_errno` means, and what helps.
  [[nodiscard]] static std::string refusal(int sys_errno);
  EventfdSignaller(const EventfdSignaller&) = delete;
  EventfdSignaller& operator=(const EventfdSignaller&) = delete;
  EventfdSignaller(EventfdSignaller&& other) noexcept;
  EventfdSignaller& operator=(EventfdSignaller&&) = delete;
  ~EventfdSignaller();

  /// Adds 1 to each of `eventfds`, in this order; one that occurs twice gets 2. Returns how many
  /// were told; those that are no eventfds are passed over. About 1 us each.
  std::size_t signal(const std::vector<int>& eventfds);
  /// Goes the way of signal() and tells nobody, so that the next one finds it in the caches.
  void rehearse();

 private:
  struct Requests;

  EventfdSignaller(unsigned long context, base::Fd ready);
  /// As io_submit(): how many were told, negative where the first is refused.
  long tell(std::span<const int> eventfds);
  void reap();

  unsigned long context_ = 0;
  /// Always readable.
  base::Fd ready_;
  /// Written once, but for whom to tell.
  std::unique_ptr<Requests> requests_;
};

}  // namespace evictd::notify
