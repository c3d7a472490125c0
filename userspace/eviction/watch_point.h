// SPDX-License-Identifier: Apache-2.0
// From thresholds on what is available to levels of usage that the kernel can watch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evictd/result.h"
#include "eviction/observation.h"
#include "eviction/threshold.h"

namespace evictd::eviction {

/// The smallest level of use at which the threshold is met: working set in bytes for the memory
/// signals, tasks for pid.available; available is taken to be capacity less use.
/// May be above the capacity (a threshold below one unit) or below zero (one above the capacity,
/// met at all times). Nothing for a threshold that can never be met and for disk signals.
[[nodiscard]] std::optional<std::int64_t> use_at_crossing(const Threshold& threshold,
                                                          std::int64_t capacity);

/// The same as charged bytes, while inactive file cache stays what it is:
/// use_at_crossing + inactive_file. Nothing for other signals than memory's.
[[nodiscard]] std::optional<Bytes> usage_at_crossing(const Threshold& threshold, Bytes capacity,
                                                     Bytes inactive_file);

/// What the kubelet asks the kernel to be told of (cgroup v1, memory.usage_in_bytes).
struct MemcgNotifier {
  /// Charged bytes: capacity - threshold + (usage - working set). One below usage_at_crossing().
  /// What leaves int64 wraps as the kubelet's does: this is what it asks for, not what we watch.
  std::int64_t threshold_bytes = 0;
};

/// Why there is nothing to ask the kernel for.
enum class NotifierProblem : std::uint8_t {
  kMissingSystemContainer,  ///< No system container "pods".
  kIncomplete,              ///< Its memory statistics lack a number.
};

/// "missing-system-container", "incomplete".
[[nodiscard]] std::string_view to_string(NotifierProblem problem);

/// "hard allocatable memory eviction threshold".
[[nodiscard]] std::string notifier_description(const Threshold& threshold);

[[nodiscard]] tl::expected<MemcgNotifier, NotifierProblem> memcg_notifier(
    const Threshold& threshold, const NodeStatistics& statistics);

}  // namespace evictd::eviction
