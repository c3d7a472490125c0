// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// Somebody else's eventfd: remembered without being held open, for closing it must end what was
/// registered with it.
struct EventFdName {
  int number = -1;
  /// The kernel's number of the eventfd itself, which tells it from a later one with the same
  /// descriptor; absent where the kernel (before 5.2) or a missing /proc does not tell.
  std::optional<std::uint64_t> id;
  bool operator==(const EventFdName&) const = default;
};

/// Source: /proc/thread-self/fdinfo. Errors: EBADF if `number` is not open or no eventfd; EMFILE,
/// ENFILE, ENOMEM if the kernel cannot be asked now.
[[nodiscard]] Result<EventFdName> name_eventfd(int number);

/// A duplicate of the eventfd that was named, and has an `id`. Errors: EBADF if it was closed
/// since; where that cannot be told now EMFILE, ENFILE, ENOMEM, or EAGAIN if /proc is missing.
[[nodiscard]] Result<base::Fd> hold_eventfd(const EventFdName& name);

/// Adds 1, unless the counter is full.
void add_one(int eventfd);

}  // namespace evictd::notify_client
