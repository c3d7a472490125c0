// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "eviction/compat.h"
#include "eviction/threshold.h"

namespace evictd::eviction {

using SignalTexts = std::map<std::string, std::string>;

/// The kubelet's four maps and its list, as in the configuration.
struct ThresholdTexts {
  SignalTexts hard;
  SignalTexts soft;
  SignalTexts soft_grace_period;
  SignalTexts minimum_reclaim;
  std::vector<std::string> enforce_node_allocatable;
};

/// Parses thresholds as the kubelet does: hard ones, soft ones, then copies of hard
/// memory.available for allocatableMemory.available if "pods" is enforced.
/// Errors: kInvalid or kMalformed with the kubelet's text. Of several errors it reports the first
/// in the order hard, soft, grace periods, minimum reclaim, and by name within each.
[[nodiscard]] Result<std::vector<Threshold>> parse_thresholds(const ThresholdTexts& texts,
                                                              Compat compat);

/// Whether a threshold's text is exactly "0%" or "100%", which means no threshold.
[[nodiscard]] bool is_switched_off(std::string_view text);

/// Default evictionHard of the kubelet on Linux.
[[nodiscard]] SignalTexts default_eviction_hard(Compat compat);

}  // namespace evictd::eviction
