// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"
#include "config/config.h"
#include "config/sources.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Reads a configuration; attach pins may name the attach ladder's purposes and rows. Errors: those
/// of config::load.
[[nodiscard]] Result<config::Config> load_config(const config::Sources& sources);

/// Logs each warning of the configuration now in force, as evictctl check-config prints it.
void log_warnings(const config::Config& config, base::Log& log);

}  // namespace evictd::daemon
