// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "eviction/decision.h"
#include "eviction/filesystem_role.h"
#include "eviction/threshold_table.h"

namespace evictd::engine {

/// Which filesystems need a newer reading after a pass. evictd acts on a threshold past its grace
/// period only with a reading newer than the last pass had. A pass between two samples, when a
/// grace period ends or a victim is gone, may find none. It then requests one, and the answer wakes
/// the next pass. If only such an answer woke a pass, filesystems judged since then are not
/// requested again. Otherwise the answers of two filesystems would wake each other's passes for
/// ever. Pure.
class NewerReadings {
 public:
  /// True: request a reading.
  using Roles = std::array<bool, eviction::kFilesystemRoles>;

  /// An event requires a newer reading of every filesystem.
  void require_newer() { unjudged_.fill(true); }
  /// The filesystems to request after a pass with this decision and these thresholds.
  [[nodiscard]] Roles to_ask(const eviction::Decision& decision,
                             const eviction::ThresholdTable& thresholds);

 private:
  /// Filesystems that no pass has judged by a newer reading since the last cause.
  Roles unjudged_{};
};

}  // namespace evictd::engine
