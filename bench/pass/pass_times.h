// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "evictd/result.h"
#include "harness/idle_pods.h"
#include "harness/report.h"
#include "stage/daemon_process.h"

namespace evictd::bench {

/// Microseconds of one pass.
struct PassTimes {
  /// From the wake of the hot thread to the beginning of the pass.
  Series taking_in;
  Series read;
  Series decide;
  Series whole;
  /// From the wake to the return of the last signal call: everything that writing records could
  /// delay.
  Series to_signal;
};

/// Adds the passes of `taken` to `times`, without the first one.
void add_later(const PassTimes& taken, PassTimes& times);

/// Follows the evictions of a running daemon until `wanted` passes are seen or no pod is left.
/// Errors: kBusy when interrupted; kTimedOut after two minutes; those of asking evictd.
[[nodiscard]] Result<> follow_passes(const stage::DaemonProcess& daemon, ForkedProcesses& idle,
                                     std::size_t wanted, PassTimes& times);

/// Adds the pass that chose the pod `uid`, the last evicted one.
/// Errors: kNotFound if it has no record; those of asking evictd.
[[nodiscard]] Result<> take_last_pass(const stage::DaemonProcess& daemon, const std::string& uid,
                                      PassTimes& times);

}  // namespace evictd::bench
