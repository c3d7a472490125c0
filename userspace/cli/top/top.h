// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/top/view.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cli::top {

struct TopOptions {
  std::string socket;
  /// Time between two status requests while nothing moves.
  Duration interval;
  SortKey sort = SortKey::kMemory;
  std::string filter{};
};

/// Shows evictd's view of the node on the terminal until the user or a signal ends it. Waits if
/// evictd is not running. Always restores the terminal before it returns.
/// Errors: kUnsupported without a suitable terminal; kIo if waiting fails.
[[nodiscard]] Result<> run_top(const TopOptions& options);

}  // namespace evictd::cli::top
