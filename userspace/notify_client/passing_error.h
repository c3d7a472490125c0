// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace evictd::notify_client {

/// Whether a registration that failed with `error`, an errno value, may succeed later with nothing
/// changed about it: this process, evictd or the kernel was short of something, or of time.
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
