// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evictd/bytes.h"

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

/// Whether the kernel side may kill alone, and when: see docs/backstop.md.
enum class InKernelBrake {
  kOff,
  kBackstop,   ///< A margin past the threshold: the pass normally comes first.
  kImmediate,  ///< At the threshold.
};

struct InKernelBrakeSettings {
  /// Unset: Settings::in_kernel_brake_mode() says.
  std::optional<InKernelBrake> mode;
  /// Of kBackstop. Unset: 1 MiB, or 4 MiB where the kernel gives out huge pages by itself.
  std::optional<Bytes> margin;

  bool operator==(const InKernelBrakeSettings&) const = default;
};

/// The brakes; see docs/brakes.md.
struct BrakeSettings {
  /// 0: unlimited.
  std::size_t max_evictions_per_minute = 10;
  NeverEvict never_evict;

  bool operator==(const BrakeSettings&) const = default;
};

}  // namespace evictd::config
