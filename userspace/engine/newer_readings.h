// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "eviction/decision.h"
#include "eviction/filesystem_role.h"
#include "eviction/threshold_table.h"

namespace evictd::engine {

/// Which filesystems to ask for a newer reading after a pass. A threshold past its grace is acted
/// on only with a reading newer than the last pass saw. Between two samples a pass may find none,
/// for a grace that ends or a victim that is gone: then one is asked for, and its answer wakes the
/// next pass. Where nothing but such an answer woke a pass, what was judged since then is not asked
/// for anew: the answers of two filesystems would wake each other's passes for ever. Pure.
class NewerReadings {
 public:
  /// True for those to be asked.
  using Roles = std::array<bool, eviction::kFilesystemRoles>;

  /// What happened wants every filesystem to be judged by a reading that is newer.
  void require_newer() { unjudged_.fill(true); }
  /// After a pass that decided so with these thresholds.
  [[nodiscard]] Roles to_ask(const eviction::Decision& decision,
                             const eviction::ThresholdTable& thresholds);

 private:
  /// Filesystems that no pass has judged by a newer reading since the last cause.
  Roles unjudged_{};
};

}  // namespace evictd::engine
