// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace evictd::notify_client {

/// Whether a registration that failed with errno `error` may succeed later unchanged: this process,
/// evictd or the kernel lacked a resource or time.
[[nodiscard]] constexpr bool is_passing(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case EBUSY:
    case EAGAIN:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

}  // namespace evictd::notify_client
