// SPDX-License-Identifier: Apache-2.0
// What a pass would decide, and the pass after the kernel side has acted on such an answer.
#include <utility>

#include "eviction/manager.h"

namespace evictd::eviction {

/// Runs the pass itself and takes back what it remembers, so that no rule exists twice.
const Decision& EvictionManager::would_decide(MonoTime now, const PassInput& input) {
  const PassState state = state_;
  const std::optional<SuspendedPass> suspended = suspended_;
  const std::array<Reason, kSignalCount> doubts = doubts_;
  PassInput asked = input;
  asked.layout.reset();  // A layout learnt here would change the thresholds for good.
  std::swap(decision_, hypothesis_);
  synchronize(now, asked);
  std::swap(decision_, hypothesis_);
  state_ = state;
  suspended_ = suspended;
  doubts_ = doubts;
  return hypothesis_;
}

const Decision& EvictionManager::adopt_kill(MonoTime now, const PassInput& input,
                                            std::size_t threshold, std::size_t victim) {
  begin_decision();
  if (input.observations != nullptr) {
    update_state(now, input, table_.places());
  }
  decision_.outcome = Outcome::kEvicted;
  decision_.threshold = threshold;
  decision_.victim = victim;
  forget_marks(table_[threshold].signal);  // As for any victim: see choose_victim().
  find_deadlines(now);
  return decision_;
}

}  // namespace evictd::eviction
