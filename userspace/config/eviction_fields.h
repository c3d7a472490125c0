// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "config/value.h"
#include "eviction/threshold.h"

namespace evictd::config {

/// The kubelet's maps of signal to text.
enum class SignalMap { kHard, kSoft, kSoftGracePeriod, kMinimumReclaim };

/// Reads one map. Checks each entry by itself, as the kubelet of `compat` does, so that an error
/// has a line. The error text is the kubelet's own.
[[nodiscard]] Result<std::map<std::string, std::string>> read_signal_map(const Value& value,
                                                                         SignalMap which,
                                                                         eviction::Compat compat);

/// Returns the thresholds that all maps together define. Errors: the kubelet's text after
/// `filename`, for problems that no single entry shows.
[[nodiscard]] Result<std::vector<eviction::Threshold>> make_thresholds(const Settings& settings,
                                                                       std::string_view filename);

/// "1.32" or "1.26".
[[nodiscard]] std::string_view name_of(eviction::Compat compat);

}  // namespace evictd::config
