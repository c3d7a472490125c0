// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "eviction/brakes.h"

namespace evictd::engine {

/// Run-time requests of an operator, besides the configuration. A reload does not change them.
struct OperatorWishes {
  eviction::Pauses pauses;
  /// Overrides the configuration's dryRun.
  std::optional<bool> dry_run;

  bool operator==(const OperatorWishes&) const = default;
};

}  // namespace evictd::engine
