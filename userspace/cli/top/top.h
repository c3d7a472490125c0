// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/top/view.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cli::top {

struct TopOptions {
  std::string socket;
  /// From one look at the status to the next while nothing moves.
  Duration interval;
  SortKey sort = SortKey::kMemory;
  std::string filter{};
};

/// Shows evictd's view of the node on the terminal until the user or a signal ends it. An evictd
/// that is away is waited for. The terminal is as before when it returns, however it ends.
/// Errors: kUnsupported without a fit terminal; kIo if it cannot wait.
[[nodiscard]] Result<> run_top(const TopOptions& options);

}  // namespace evictd::cli::top
