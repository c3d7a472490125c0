// SPDX-License-Identifier: Apache-2.0
// Which pods the hot thread chooses among, where the kernel side does not tell of each change.
#include "daemon/hot_loop.h"
#include "eviction/hold.h"

namespace evictd::daemon {

/// Whether the pass may come to choose a pod: some threshold is met, its grace is over. It may be
/// held all the same; to look once more harms nobody. Not for a threshold that waits for a victim
/// in its hard grace: there the pass only holds or, below the floor, ends that grace, which must
/// not wait for a look.
bool HotLoop::may_choose(MonoTime now) const {
  const eviction::ThresholdTable& thresholds = config_->manager.thresholds();
  const eviction::PassState& state = config_->manager.state();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto& seen = readings_.observations()[thresholds[i].signal];
    if (!seen || eviction::has_standing(readings_.pods(), eviction::Standing::kInHardGrace,
                                        config_->manager.scope_at(i))) {
      continue;
    }
    if (state.past_grace.has(i) && thresholds.met(i, *seen, eviction::MinReclaim::kEnforced)) {
      return true;
    }
    const bool grace_over =
        thresholds[i].is_hard() ||
        (state.first_observed[i] && now - *state.first_observed[i] >= thresholds[i].grace_period);
    if (config_->manager.guard_meets(i, *seen) ||
        (grace_over && thresholds.met(i, *seen, eviction::MinReclaim::kIgnored))) {
      return true;
    }
  }
  return false;
}

/// Whether the pods are known as they are now, or cannot be in time. False: housekeeping was asked
/// to look, and its answer wakes the pass.
bool HotLoop::knows_pods(MonoTime now) {
  if (options_.events_tell_pods && !pod_scans_.lost()) {
    return true;
  }
  switch (pod_scans_.next_step(wake_at_, now)) {
    case PodScans::Step::kGoOn:
      return true;
    case PodScans::Step::kWait:
      return false;
    case PodScans::Step::kAsk: {
      ToHousekeeping message(ScanPods{pod_scans_.asked()});
      if (offer(message)) {
        return false;
      }
      pod_scans_.not_asked();
      break;
    }
    case PodScans::Step::kGiveUp:
      break;
  }
  // When housekeeping stands still, evictions go on.
  count(options_.counters->unscanned_passes);
  return true;
}

}  // namespace evictd::daemon
