// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/log_options.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// SCHED_FIFO priority of the signalling thread. It is above readers at the lowest priority, for
/// which it must not wait, and below the hot thread of an evictd that evicts.
inline constexpr int kNotifyPriority = 2;

struct NotifyOnlyOptions {
  std::filesystem::path socket;
  /// Row of the attach ladder, "none" for polling; empty for the best one that works.
  std::string hook{};
  base::LogOptions log{};
};

/// Serves notifications of thresholds on a socket until SIGTERM or SIGINT, and does nothing else:
/// no configuration, no pods, no eviction. Creates the socket's directory if it is missing. Errors:
/// a socket that cannot be created, another process listening there, no asynchronous I/O.
[[nodiscard]] Result<> run_notify_only(const NotifyOnlyOptions& options);

}  // namespace evictd::daemon
