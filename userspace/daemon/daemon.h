// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/log.h"
#include "config/config.h"
#include "config/sources.h"
#include "daemon/recording_worker.h"
#include "evictd/result.h"

namespace evictd::daemon {

struct DaemonOptions {
  /// What SIGHUP reads again; without a file there is nothing to read.
  config::Sources sources;
  /// Unset: passes are not recorded.
  std::optional<RecordingOptions> recording{};
};

/// Reads a configuration, with the attach ladder's purposes and rows as the names it may pin.
/// Errors: those of config::load.
[[nodiscard]] Result<config::Config> load_config(const config::Sources& sources);

/// Logs each warning of a configuration that is now in force, as evictctl check-config prints it.
void log_warnings(const config::Config& config, base::Log& log);

/// The composition root: finds the tree, loads the kernel side, starts the hot thread and keeps
/// house on this one until SIGTERM or SIGINT.
/// Errors: what keeps evictd from working at all: no memory controller, no pod root, another evictd
/// on the same tree, a socket that cannot be made.
[[nodiscard]] Result<> run_daemon(const DaemonOptions& options, config::Config config);

}  // namespace evictd::daemon
