// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/settings.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// Who notices a crossing, with the hooks in use. A daemon without a kernel side only polls,
/// whatever this says. While the kernel side's timer stalls, evictd polls too.
enum class Watcher : std::uint8_t {
  kPolling,
  kKernel,            ///< The kernel side watches the signal itself.
  kKernelAndPolling,  ///< The kernel side watches a value that moves with the signal but may move
                      ///< apart from it.
};

/// The watcher of pid.available. For the node the kernel side counts pids, some of which only name
/// a process group or session. So its single report of a crossing may come that many tasks too
/// early.
[[nodiscard]] Watcher task_watcher(const probe::Ladder& ladder, config::PidAvailableSource source);

}  // namespace evictd::daemon
