// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/log.h"
#include "config/settings.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// What the process has before any of its threads is started.
struct ProcessSetup {
  /// Descriptors that it may have open.
  std::uint64_t descriptor_limit = 0;
};

/// From now on whoever writes to a pipe that nobody reads is told so, and is not ended: a reader of
/// the log that is gone costs lines. Programs that evictd starts get the default back.
void ignore_broken_pipes();

/// Raises the limit of descriptors as far as it goes, ignores broken pipes, blocks the signals that
/// are read from a descriptor, makes the stacks of later threads small, and makes the directory of
/// the control socket. Call once, before any other thread. What evictd can do without is logged.
/// Errors: those of blocking signals and of use_small_thread_stacks().
[[nodiscard]] Result<ProcessSetup> set_up_process(const config::Settings& settings, base::Log& log);

/// Locks memory where the configuration says so. Whether it is locked; why not is logged.
bool lock_memory_if_wanted(const config::Settings& settings, base::Log& log);

}  // namespace evictd::daemon
