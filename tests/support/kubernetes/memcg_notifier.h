// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "eviction/observation.h"
#include "eviction/threshold.h"

namespace evictd::test {

/// The notification that the kubelet requests from the kernel (cgroup v1, memory.usage_in_bytes).
struct MemcgNotifier {
  /// Charged bytes: capacity - threshold + (usage - working set), which is one below
  /// use_at_crossing() + inactive file.
  /// Values outside int64 wrap as the kubelet's do: this is the kubelet's request, not evictd's
  /// watch.
  std::int64_t threshold_bytes = 0;
};

/// Why there is nothing to request from the kernel.
enum class NotifierProblem : std::uint8_t {
  kMissingSystemContainer,  ///< No system container "pods".
  kIncomplete,              ///< Its memory statistics lack a number.
};

/// "missing-system-container", "incomplete".
[[nodiscard]] std::string_view to_string(NotifierProblem problem);

/// "hard allocatable memory eviction threshold".
[[nodiscard]] std::string notifier_description(const eviction::Threshold& threshold);

[[nodiscard]] tl::expected<MemcgNotifier, NotifierProblem> memcg_notifier(
    const eviction::Threshold& threshold, const eviction::NodeStatistics& statistics);

}  // namespace evictd::test
