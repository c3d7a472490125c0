// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "eviction/brakes.h"

namespace evictd::engine {

/// What somebody asked of the running daemon, beside its configuration. A reload
/// changes none of it.
struct OperatorWishes {
  eviction::Pauses pauses;
  /// Instead of the configuration's dryRun.
  std::optional<bool> dry_run;

  bool operator==(const OperatorWishes&) const = default;
};

}  // namespace evictd::engine
