// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/config.h"

namespace evictd::config {

/// Refuses settings that are allowed alone but not together:
/// - a soft threshold without a grace period, or the reverse;
/// - bounds in the wrong order;
/// - a BPF option while BPF is off;
/// - one path for two files that evictd writes;
/// - a control socket path, given or default, that no socket can have.
/// The error names the line of the setting that has to change.
[[nodiscard]] Result<> check_contradictions(const Settings& settings, const Origins& origins,
                                            std::string_view filename);

}  // namespace evictd::config
