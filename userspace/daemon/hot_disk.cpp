// SPDX-License-Identifier: Apache-2.0
// What the hot thread has others do about disks: it never asks a filesystem itself.
#include "daemon/hot_loop.h"

namespace evictd::daemon {

/// A threshold that is met is acted on only with a reading newer than the last pass saw. Between
/// two samples of a filesystem a pass may find none, for a grace that ends or a victim that is
/// gone: then one is asked for, and its answer wakes the next pass.
void HotLoop::ask_for_fresh_disks(const eviction::Decision& decision) {
  if (options_.filesystems == nullptr) {
    return;
  }
  for (const std::size_t place : decision.past_grace) {
    const eviction::Signal signal = config_->manager.thresholds()[place].signal;
    if (disk::role_of(signal) && !decision.actionable.has(place)) {
      options_.filesystems->request();
      return;
    }
  }
}

}  // namespace evictd::daemon
