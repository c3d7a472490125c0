// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "evictd/time.h"
#include "eviction/decision.h"
#include "eviction/threshold_table.h"

namespace evictd::engine {

/// When the kernel side saw each threshold crossed, which woke the pass that acts on it. The kernel
/// side reports each further level below a threshold too. A crossing that a pass has judged without
/// acting is therefore forgotten; the next level's crossing counts from its own time.
///
class Crossings {
 public:
  /// The threshold at place `threshold` was crossed. Keeps the first crossing since the last
  /// judgement.
  void note(std::size_t threshold, MonoTime at);
  /// When the threshold was crossed; the epoch without a crossing since the last judgement.
  [[nodiscard]] MonoTime of(std::size_t threshold) const;
  /// The same for the threshold that the record of a pass names: the one acted on, else the first
  /// one met.
  [[nodiscard]] MonoTime of(const eviction::Decision& decision) const;
  /// A pass has ended with `decision`, and no other follows at once. Keeps crossings whose grace
  /// period still runs: they cause the eviction at its end.
  void forget_judged(const eviction::Decision& decision);
  /// Call when the places of thresholds change.
  void clear() { at_ = {}; }

 private:
  std::array<MonoTime, eviction::kMaxThresholds> at_{};
};

}  // namespace evictd::engine
