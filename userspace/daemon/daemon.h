// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "config/config.h"
#include "config/sources.h"
#include "daemon/records/recording_worker.h"
#include "evictd/result.h"

namespace evictd::daemon {

struct DaemonOptions {
  /// The files that SIGHUP reads again; empty if there are none.
  config::Sources sources;
  /// Unset: passes are not recorded.
  std::optional<RecordingOptions> recording{};
};

/// The composition root: finds the tree, loads the kernel side, starts the hot thread and runs
/// housekeeping on the calling thread until SIGTERM or SIGINT. Errors: what keeps evictd from
/// working at all: no memory controller, another evictd on the same tree, a socket that cannot be
/// created.
[[nodiscard]] Result<> run_daemon(const DaemonOptions& options, config::Config config);

}  // namespace evictd::daemon
