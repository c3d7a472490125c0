// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "evictd/time.h"
#include "eviction/decision.h"
#include "eviction/threshold_table.h"

namespace evictd::engine {

/// When the kernel side saw each threshold crossed: what a pass that acts on it was woken by. A
/// threshold is told of anew at each further level below it, so that one that was looked at and not
/// acted on is forgotten, and the next level's crossing counts from its own moment.
///
class Crossings {
 public:
  /// `threshold`, by its place, was seen crossed. The first since it was last judged is kept.
  void note(std::size_t threshold, MonoTime at);
  /// When that one was crossed; the epoch if it was not since it was last judged.
  [[nodiscard]] MonoTime of(std::size_t threshold) const;
  /// The same of what the record of a pass that ended so is about: the threshold acted on, else the
  /// first that is met.
  [[nodiscard]] MonoTime of(const eviction::Decision& decision) const;
  /// A pass has ended so, and no other follows at once. What it left to a grace period that still
  /// runs is kept: the eviction at its end is due to that crossing.
  void forget_judged(const eviction::Decision& decision);
  /// Places mean something else from now on.
  void clear() { at_ = {}; }

 private:
  std::array<MonoTime, eviction::kMaxThresholds> at_{};
};

}  // namespace evictd::engine
