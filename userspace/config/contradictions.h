// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/config.h"

namespace evictd::config {

/// Refuses settings that are each allowed but not together: a soft threshold without a grace period
/// or the reverse, bounds the wrong way round, an option of BPF where BPF is switched off, one path
/// for two files that are written, a control socket (by default too) whose path no socket can have.
/// The error names the line of the setting that has to change.
[[nodiscard]] Result<> check_contradictions(const Settings& settings, const Origins& origins,
                                            std::string_view filename);

}  // namespace evictd::config
