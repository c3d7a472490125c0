// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/log.h"
#include "config/settings.h"
#include "evictd/result.h"
#include "probe/ladder.h"
#include "probe/probe.h"

namespace evictd::daemon {

/// The kernel programs, if there are any, and what was chosen of the attach ladder and why.
struct KernelSide {
  /// None: polling.
  std::unique_ptr<probe::Probe> probe;
  /// Empty where the configuration wants polling.
  probe::Ladder ladder;
};

/// Loads and attaches as the configuration says, and logs each purpose that has a hook or none.
/// Where eventSource leaves that open and nothing can be loaded, it is logged why, and there is no
/// probe. Errors: those of probe_options_of(); with eventSource bpf those of probe::Probe::load().
[[nodiscard]] Result<KernelSide> load_kernel_side(const config::Settings& settings, base::Log& log);

}  // namespace evictd::daemon
