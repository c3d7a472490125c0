// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "evictd/time.h"

namespace evictd {

/// When a test takes place, where any moment does.
inline constexpr MonoTime kNow{std::chrono::seconds(1000)};

}  // namespace evictd
