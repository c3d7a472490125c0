// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"
#include "config/config.h"
#include "config/sources.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Reads a configuration, with the attach ladder's purposes and rows as the names it may pin.
/// Errors: those of config::load.
[[nodiscard]] Result<config::Config> load_config(const config::Sources& sources);

/// Logs each warning of a configuration that is now in force, as evictctl check-config prints it.
void log_warnings(const config::Config& config, base::Log& log);

}  // namespace evictd::daemon
