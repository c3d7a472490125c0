// SPDX-License-Identifier: Apache-2.0
// Converts thresholds on available values to usage levels that the kernel can watch.
#pragma once

#include <cstdint>
#include <optional>

#include "eviction/threshold.h"

namespace evictd::eviction {

/// The smallest usage at which the threshold is met: working set in bytes for the memory signals,
/// tasks for pid.available. Assumes available = capacity - usage.
/// May be above the capacity (a threshold below one unit) or below zero (a threshold above the
/// capacity, which is always met). nullopt for disk signals and thresholds that can never be met.
[[nodiscard]] std::optional<std::int64_t> use_at_crossing(const Threshold& threshold,
                                                          std::int64_t capacity);

}  // namespace evictd::eviction
