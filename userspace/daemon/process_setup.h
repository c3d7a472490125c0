// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/log.h"
#include "config/settings.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// State of the process before any of its threads starts.
struct ProcessSetup {
  /// Number of descriptors that it may have open.
  std::uint64_t descriptor_limit = 0;
};

/// From now on a write to a pipe without a reader fails with an error instead of a fatal signal: a
/// lost reader of the log costs lines only. Programs that evictd starts get the default back.
void ignore_broken_pipes();

/// Raises the limit of descriptors as far as possible, ignores broken pipes, and blocks the signals
/// that are read from a descriptor. Makes the stacks of later threads small and creates the control
/// socket's directory. Call once, before any other thread. Failures that evictd can live with are
/// logged. Errors: those of blocking signals and of use_small_thread_stacks().
[[nodiscard]] Result<ProcessSetup> set_up_process(const config::Settings& settings, base::Log& log);

/// Locks memory if configured. Returns whether it is locked; logs why not.
bool lock_memory_if_wanted(const config::Settings& settings, base::Log& log);

}  // namespace evictd::daemon
