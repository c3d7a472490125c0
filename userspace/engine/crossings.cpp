// SPDX-License-Identifier: Apache-2.0
#include "engine/crossings.h"

namespace evictd::engine {

void Crossings::note(std::size_t threshold, MonoTime at) {
  if (threshold < at_.size() && at_[threshold] == MonoTime{}) {
    at_[threshold] = at;
  }
}

MonoTime Crossings::of(std::size_t threshold) const {
  return threshold < at_.size() ? at_[threshold] : MonoTime{};
}

MonoTime Crossings::of(const eviction::Decision& decision) const {
  if (decision.threshold) {
    return of(*decision.threshold);
  }
  return decision.met.empty() ? MonoTime{} : of(decision.met.front());
}

void Crossings::forget_judged(const eviction::Decision& decision) {
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const bool in_grace_period = decision.met.has(i) && !decision.past_grace.has(i);
    if (!in_grace_period) {
      at_[i] = MonoTime{};
    }
  }
}

}  // namespace evictd::engine
