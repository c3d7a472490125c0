// SPDX-License-Identifier: Apache-2.0
// How the hot thread holds itself back: what it tells the pass of it, and what it is told.
#include <algorithm>

#include "daemon/hot_loop.h"

namespace evictd::daemon {

namespace {

/// A release of less than this may hide in what the kernel keeps back per CPU, so that standing
/// still proves nothing: 125 pages of each of three kinds on a handful of CPUs.
constexpr Bytes kTellingRelease = 16_MiB;

}  // namespace

bool HotLoop::dry_run() const {
  return wishes_.dry_run.value_or(config_->dry_run);
}

eviction::Brakes HotLoop::brakes() const {
  return {.max_evictions_per_minute = config_->max_evictions_per_minute,
          .recent = eviction_times_.all(),
          .pauses = wishes_.pauses,
          .growth = config_->growth,
          .released_at = released_at_,
          .released_below_pod_root_at = released_below_pod_root_at_};
}

void HotLoop::handle(const SetWishes& message) {
  const bool was_dry = dry_run();
  wishes_ = message.wishes;
  if (was_dry && !dry_run()) {
    end_dry_runs(DryRuns::kAll, wake_at_);
    eviction_times_.forget_dry_runs();
  }
  // What was held may go on now, and what was about to go on may have to be held.
  want_pass(PassTrigger::kRequest);
  options_.counters->wishes_applied.store(message.generation, std::memory_order_release);
  options_.outbox->wake_up.signal();
}

bool HotLoop::exceeds_own_limit(CgroupId pod) const {
  return std::any_of(storage_.begin(), storage_.end(), [&](const auto& storage) {
    return storage != nullptr && storage->pod == pod && storage->breaches;
  });
}

/// Whom a dry run named may be named again. While the actuator still knew of it, another pod would
/// be named in its place, which no real run would evict.
void HotLoop::end_dry_runs(DryRuns which, MonoTime now) {
  std::size_t kept = 0;
  while (kept < in_flight_.entries().size()) {
    const InFlightTable::Entry entry = in_flight_.entries()[kept];
    const bool still_named = entry.for_own_limit && exceeds_own_limit(entry.pod);
    if (!entry.dry_run || (which == DryRuns::kOfPressure && still_named)) {
      ++kept;
      continue;
    }
    options_.dry_run_actuator->end_pretended(entry.ticket, now);
    in_flight_.remove(entry.pod);
  }
  // Before housekeeping is told of the next eviction, which may be of the same pod.
  take_progress(*options_.dry_run_actuator);
}

void HotLoop::note_held(const eviction::Decision& decision) {
  if (decision.outcome == eviction::Outcome::kHeld) {
    count(options_.counters->held[static_cast<std::size_t>(decision.reason)]);
  }
}

void HotLoop::note_freed(const InFlightTable::Entry& victim, Bytes left, MonoTime at) {
  const Bytes remaining = left.value < 0 ? Bytes{0} : left;
  if (victim.usage - remaining >= kTellingRelease) {
    released_at_ = at;
    if (victim.below_pod_root) {
      released_below_pod_root_at_ = at;
    }
  }
}

}  // namespace evictd::daemon
