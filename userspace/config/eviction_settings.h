// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"
#include "eviction/grace_policy.h"

namespace evictd::config {

/// The kubelet's eviction fields as given: signal to text. `Config::thresholds()` is their parsed
/// form.
struct EvictionSettings {
  std::map<std::string, std::string> hard;
  std::map<std::string, std::string> soft;
  std::map<std::string, std::string> soft_grace_period;
  std::map<std::string, std::string> minimum_reclaim;
  Duration pressure_transition_period = std::chrono::minutes(5);
  /// Longest grace period of a soft eviction, as given. A negative value leaves no time, as zero
  /// does.
  std::chrono::seconds max_pod_grace_period{0};
  std::vector<std::string> enforce_node_allocatable = {"pods"};

  bool operator==(const EvictionSettings&) const = default;
};

/// Either a quantity in the threshold's own unit, or a share of the threshold.
struct Floor {
  /// Set for a quantity (bytes, or tasks for pid.available), unset for a share.
  std::optional<std::int64_t> amount;
  /// Share of the threshold in percent; read only while `amount` is unset.
  double percent = 50;

  bool operator==(const Floor&) const = default;
};

/// Limits on how long a hard eviction may take; see docs/configuration.md.
struct HardEvictionSettings {
  /// Unset: the default of the compatibility (0 s in 1.26, 1 s in 1.32). Zero: SIGKILL with no
  /// SIGTERM.
  std::optional<std::chrono::seconds> grace_period;
  /// Whether evictd shortens that grace period to the time that is left.
  eviction::GracePolicy grace_policy = eviction::GracePolicy::kPredicted;
  /// Below this available level, evictd kills at once a victim that is still in its hard grace
  /// period.
  Floor floor;
  /// Whether a hard threshold of memory.available counts as met when the kernel is about to run out
  /// of memory.
  bool oom_guard = true;

  bool operator==(const HardEvictionSettings&) const = default;
};

}  // namespace evictd::config
