// SPDX-License-Identifier: Apache-2.0
#include "eviction/lazy_statistics.h"

#include <algorithm>
#include <optional>

namespace evictd::eviction {
namespace {

std::optional<Observation> at_worst(Signal signal, const Observations& seen,
                                    const CgroupUsage& pod_root) {
  if (signal != Signal::kAllocatableMemoryAvailable) {
    return seen[signal];
  }
  CgroupUsage without_cache = pod_root;
  without_cache.inactive_file = Bytes{0};
  return observe_allocatable_memory(without_cache);
}

}  // namespace

bool lazy_statistics_matter(const ThresholdTable& thresholds, const Observations& seen,
                            const CgroupUsage& pod_root) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!is_memory(thresholds[i].signal)) {
      continue;
    }
    const std::optional<Observation> worst = at_worst(thresholds[i].signal, seen, pod_root);
    if (worst && thresholds.met(i, *worst, MinReclaim::kEnforced)) {
      return true;
    }
  }
  return false;
}

Bytes lazy_error(const CgroupUsage& pod_root, const NodeUsage& node) {
  if (!pod_root.has_memory()) {
    return Bytes{0};
  }
  const Bytes shown = std::clamp(pod_root.inactive_file, Bytes{0}, pod_root.usage);
  const Bytes most =
      node.inactive_file.value < 0 ? pod_root.usage : std::min(pod_root.usage, node.inactive_file);
  return std::max(shown, most - shown);
}

}  // namespace evictd::eviction
