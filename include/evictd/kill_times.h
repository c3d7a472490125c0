// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "evictd/time.h"

namespace evictd {

/// A kill that takes longer than this has exceeded its grace period, however short that was.
/// A large process needs 120 ms per GiB to release its memory, and may wait for a disk.
inline constexpr Duration kLeastTimeToEnd = std::chrono::seconds{2};

/// Delay before a SIGKILL that reached no process is retried.
inline constexpr Duration kTryAgain = std::chrono::milliseconds{10};

}  // namespace evictd
