// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/log_options.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// SCHED_FIFO priority of the thread that signals: above readers at the lowest one, whom it must
/// not wait for, and below the thread of another evictd that evicts.
inline constexpr int kNotifyPriority = 2;

struct NotifyOnlyOptions {
  std::filesystem::path socket;
  /// Row of the attach ladder, "none" for polling; empty for the best that works.
  std::string hook{};
  base::LogOptions log{};
};

/// Serves notifications of thresholds on a socket, and nothing else, until SIGTERM or SIGINT: no
/// configuration, no pods, no eviction.
/// Makes the directory of the socket where there is none. Errors: a socket that cannot be made,
/// somebody who listens there, no asynchronous I/O.
[[nodiscard]] Result<> run_notify_only(const NotifyOnlyOptions& options);

}  // namespace evictd::daemon
