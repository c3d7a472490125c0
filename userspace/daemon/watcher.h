// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/settings.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// Who notices a crossing, with the hooks in use. For a daemon without kernel side nothing but
/// polling is left whatever this says, and while that one's timer stands still there is polling
/// too.
enum class Watcher : std::uint8_t {
  kPolling,
  kKernel,            ///< What the kernel side watches is the signal itself.
  kKernelAndPolling,  ///< It watches what moves with the signal, but may move apart from it.
};

/// Of pid.available. Of the node the kernel side counts pids, of which some only name a process
/// group or session: its one record of a crossing may come by as many tasks too early.
[[nodiscard]] Watcher task_watcher(const probe::Ladder& ladder, config::PidAvailableSource source);

}  // namespace evictd::daemon
