// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/watcher.h"

namespace evictd::daemon {

Watcher task_watcher(const probe::Ladder& ladder, config::PidAvailableSource source) {
  if (ladder.chosen(probe::Purpose::kSweepTimer).empty()) {
    // Without its timer the kernel side does not see a recovery.
    return ladder.chosen(probe::Purpose::kTaskFork).empty() ? Watcher::kPolling
                                                            : Watcher::kKernelAndPolling;
  }
  return source == config::PidAvailableSource::kNode ? Watcher::kKernelAndPolling
                                                     : Watcher::kKernel;
}

}  // namespace evictd::daemon
