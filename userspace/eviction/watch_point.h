// SPDX-License-Identifier: Apache-2.0
// From thresholds on what is available to levels of usage that the kernel can watch.
#pragma once

#include <cstdint>
#include <optional>

#include "eviction/threshold.h"

namespace evictd::eviction {

/// The smallest level of use at which the threshold is met: working set in bytes for the memory
/// signals, tasks for pid.available; available is taken to be capacity less use.
/// May be above the capacity (a threshold below one unit) or below zero (one above the capacity,
/// met at all times). Nothing for a threshold that can never be met and for disk signals.
[[nodiscard]] std::optional<std::int64_t> use_at_crossing(const Threshold& threshold,
                                                          std::int64_t capacity);

}  // namespace evictd::eviction
