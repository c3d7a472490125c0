// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "eviction/observation.h"
#include "eviction/threshold.h"

namespace evictd::test {

/// What the kubelet asks the kernel to be told of (cgroup v1, memory.usage_in_bytes).
struct MemcgNotifier {
  /// Charged bytes: capacity - threshold + (usage - working set), which is one below
  /// use_at_crossing() + inactive file.
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
[[nodiscard]] std::string notifier_description(const eviction::Threshold& threshold);

[[nodiscard]] tl::expected<MemcgNotifier, NotifierProblem> memcg_notifier(
    const eviction::Threshold& threshold, const eviction::NodeStatistics& statistics);

}  // namespace evictd::test
