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

/// The kubelet's four maps and the list, as they were written.
struct ThresholdTexts {
  SignalTexts hard;
  SignalTexts soft;
  SignalTexts soft_grace_period;
  SignalTexts minimum_reclaim;
  std::vector<std::string> enforce_node_allocatable;
};

/// Thresholds as the kubelet makes them: hard ones, soft ones, then the copies of hard
/// memory.available to allocatableMemory.available when "pods" is enforced.
/// Errors: kInvalid or kMalformed with the kubelet's own text. Of several errors the first in the
/// order hard, soft, grace periods, minimum reclaim, and in each by name, is reported.
[[nodiscard]] Result<std::vector<Threshold>> parse_thresholds(const ThresholdTexts& texts,
                                                              Compat compat);

/// Whether a threshold's text is "0%" or "100%", just so: a way to write no threshold.
[[nodiscard]] bool is_switched_off(std::string_view text);

/// evictionHard of a kubelet on Linux that was not told any.
[[nodiscard]] SignalTexts default_eviction_hard(Compat compat);

}  // namespace evictd::eviction
