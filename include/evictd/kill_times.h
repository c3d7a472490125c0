// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "evictd/time.h"

namespace evictd {

/// A kill that is not over after this long has exceeded its grace, however short the grace was: a
/// large process needs 120 ms a GiB to give its memory back, and may wait for a disk.
inline constexpr Duration kLeastTimeToEnd = std::chrono::seconds{2};

/// When a SIGKILL that reached nobody is tried again.
inline constexpr Duration kTryAgain = std::chrono::milliseconds{10};

}  // namespace evictd
