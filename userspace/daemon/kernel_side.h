// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/log.h"
#include "config/settings.h"
#include "evictd/result.h"
#include "probe/ladder.h"
#include "probe/probe.h"

namespace evictd::daemon {

/// The kernel programs, if any, and which rows of the attach ladder were chosen and why.
struct KernelSide {
  /// nullptr: polling.
  std::unique_ptr<probe::Probe> probe;
  /// Empty if the configuration selects polling.
  probe::Ladder ladder;
};

/// Loads and attaches according to the configuration, and logs for each purpose whether it has a
/// hook. If eventSource permits polling and nothing can be loaded, logs why and returns no probe.
/// Errors: those of probe_options_of(); with eventSource bpf those of probe::Probe::load().
[[nodiscard]] Result<KernelSide> load_kernel_side(const config::Settings& settings, base::Log& log);

}  // namespace evictd::daemon
