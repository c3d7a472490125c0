// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace evictd::config {

/// A label that a pod must have: with any value, or with `value`.
struct LabelRule {
  std::string key;
  /// Read only with `any_value` false.
  std::string value;
  bool any_value = true;

  bool operator==(const LabelRule&) const = default;
};

/// Pods that evictd never evicts. One match is enough.
struct NeverEvict {
  std::vector<std::string> namespaces;
  std::vector<LabelRule> labels;

  bool operator==(const NeverEvict&) const = default;
};

/// The brakes; see docs/brakes.md.
struct BrakeSettings {
  /// 0: unlimited.
  std::size_t max_evictions_per_minute = 10;
  NeverEvict never_evict;

  bool operator==(const BrakeSettings&) const = default;
};

}  // namespace evictd::config
