// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// Identifies the caller's eventfd without holding it open, because closing it must end its
/// registrations.
struct EventFdName {
  int number = -1;
  /// The kernel's id of the eventfd, which differs from that of a later eventfd with the same
  /// descriptor. Unset if the kernel (before 5.2) does not report it or /proc is missing.
  std::optional<std::uint64_t> id;
  bool operator==(const EventFdName&) const = default;
};

/// Source: /proc/thread-self/fdinfo. Errors: EBADF if `number` is not open or no eventfd; EMFILE,
/// ENFILE, ENOMEM if the kernel cannot be asked now.
[[nodiscard]] Result<EventFdName> name_eventfd(int number);

/// Duplicates the eventfd that `name` identifies; `name` must have an `id`. Errors: EBADF if it was
/// closed since. If that cannot be determined now: EMFILE, ENFILE, ENOMEM, or EAGAIN if /proc is
/// missing.
[[nodiscard]] Result<base::Fd> hold_eventfd(const EventFdName& name);

/// Adds 1, unless the counter is full.
void add_one(int eventfd);

}  // namespace evictd::notify_client
