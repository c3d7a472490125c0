// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/state_keeper.h"

#include <algorithm>
#include <utility>

#include "base/fault_point.h"
#include "base/kernel_clock.h"
#include "daemon/shared/least_left_behind.h"
#include "eviction/hold.h"

namespace evictd::daemon {

namespace {

constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";

/// How long the file may lack the time of a condition's last observation, which each pass moves,
/// and since when a soft threshold has been met. Else usage that swings around a soft threshold
/// would have a file written and synced at each swing.
constexpr Duration kLag = std::chrono::seconds(1);

template <typename Begun>
SavedEviction saved_of(const Begun& begun, MonoTime at) {
  const bool killed = begun.grace.count() == 0;
  SavedEviction eviction;
  eviction.uid = begun.victim->uid;
  eviction.pod = begun.victim->memory_id;
  eviction.ns = begun.victim->ns;
  eviction.name = begun.victim->name;
  eviction.killed = killed;
  eviction.began_at = at;
  eviction.kill_due_at = begun.kill_due_at;
  eviction.killed_at = killed ? begun.signals.last_at : MonoTime{};
  eviction.below_pod_root = begun.victim->below_pod_root;
  return eviction;
}

}  // namespace

std::string clock_name(std::string boot_id, Duration offset) {
  if (offset != Duration::zero()) {
    boot_id += ", clock ahead by " + std::to_string(offset.count()) + " ns";
  }
  return boot_id;
}

StateOrigin origin_here(const std::string& pod_root, CgroupId pod_root_id) {
  std::string boot_id = read_state_file(kBootId).value_or(std::string());
  while (!boot_id.empty() && boot_id.back() == '\n') {
    boot_id.pop_back();
  }
  const Duration offset = base::KernelClock::learn("").value_or(base::KernelClock()).offset();
  return {.boot_id = clock_name(std::move(boot_id), offset),
          .pod_root = pod_root,
          .pod_root_id = pod_root_id.id};
}

FoundState find_state(const std::string& path, const StateOrigin& here, MonoTime now) {
  const Result<std::string> text = read_state_file(path);
  FoundState found;
  if (!text) {
    found.problem = text.error().code == Errc::kNotFound ? std::string() : text.error().message();
    return found;
  }
  Result<SavedState> state = parse_state(*text, here, now);
  if (!state) {
    found.problem = path + ": " + state.error().message();
    return found;
  }
  base::fault_point(base::FaultPoint::kStateRead);
  found.state = std::move(*state);
  found.found = true;
  return found;
}

StateKeeper::StateKeeper(Options options) : options_(std::move(options)) {
  now_.origin = options_.origin;
  now_.wishes = options_.found.state.wishes;
  now_.configured_dry_run = options_.found.state.configured_dry_run;
  // An empty state is no loss.
  kept_ = options_.found.found ? options_.found.state : now_;
  if (!options_.path.empty()) {
    writer_ = std::make_unique<StateWriter>(options_.path);
  }
}

void StateKeeper::set_pass(const PassCopy& copy, const eviction::ThresholdTable& thresholds,
                           MonoTime now) {
  save_pass(copy.state, thresholds, now_);
  now_.evictions = copy.eviction_times.real_within(eviction::kRateWindow, now);
}

void StateKeeper::add_begun(const EvictionBegun& begun, const eviction::Threshold& threshold,
                            MonoTime at) {
  if (begun.dry_run) {
    return;
  }
  // Who came after a kill of the kernel side is no victim.
  SavedEviction eviction = saved_of(begun, begun.kernel_kill ? begun.kernel_kill->at : at);
  eviction.signal = eviction::to_string(threshold.signal);
  eviction.threshold = eviction::to_string(threshold.value);
  eviction.escalated = begun.escalated;
  eviction.hard = begun.hard;
  eviction.for_disk = eviction::is_disk(threshold.signal);
  keep_eviction(std::move(eviction));
}

void StateKeeper::add_begun(const LocalEvictionBegun& begun, MonoTime at) {
  if (begun.dry_run) {
    return;
  }
  SavedEviction eviction = saved_of(begun, at);
  eviction.local_limit = eviction::to_string(begun.breach.limit);
  eviction.for_disk = true;
  keep_eviction(std::move(eviction));
}

void StateKeeper::keep_eviction(SavedEviction eviction) {
  if (SavedEviction* const known = find(eviction.pod)) {
    if (!known->gone) {
      // Else it belongs to processes that came after that victim's end, and only they are its
      // victims.
      eviction.began_at = known->began_at;
    }
    // A victim whose grace period was cut for another signal still has its disk space awaited.
    eviction.for_disk = eviction.for_disk || known->for_disk;
    *known = std::move(eviction);
  } else {
    now_.in_flight.push_back(std::move(eviction));
  }
}

void StateKeeper::add_adopted(const SavedEviction& eviction) {
  ++adopted_;
  now_.in_flight.push_back(eviction);
}

void StateKeeper::apply_step(const enforce::Progress& step, std::int64_t tasks, Bytes charged) {
  SavedEviction* const known = find(step.pod);
  if (known == nullptr) {
    return;
  }
  if (step.state == enforce::EvictionState::kKilled) {
    known->killed = true;
    known->killed_at = step.at;
  } else if (step.state == enforce::EvictionState::kReleased) {
    known->killed_at = known->killed ? known->killed_at : step.at;
    known->gone = true;
    if (tasks <= 0 && charged <= least_left_behind()) {
      forget_if_over(step.pod);
    }
  } else if (step.state == enforce::EvictionState::kExceededGrace &&
             (!known->killed || !step.not_killed.empty())) {
    // It is let live, by a kill of the kernel side too: the next evictd has nothing to resume.
    forget(step.pod);
  }
}

void StateKeeper::forget(CgroupId pod) {
  std::erase_if(now_.in_flight, [&](const SavedEviction& one) { return one.pod == pod; });
}

bool StateKeeper::apply_refusal(const EvictionRefused& refused) {
  if (!refused.adopted || refused.code == Errc::kBusy) {
    return false;
  }
  forget(refused.victim->memory_id);
  return true;
}

void StateKeeper::defer(const std::string& uid, CgroupId pod) {
  deferred_.insert_or_assign(uid, pod);
  for (const SavedEviction& one : options_.found.state.in_flight) {
    if (one.uid == uid && one.pod == pod) {
      leave(one);
    }
  }
}

bool StateKeeper::take_deferred(const std::string& uid, CgroupId pod) {
  const auto found = deferred_.find(uid);
  if (found == deferred_.end() || found->second != pod) {
    return false;
  }
  deferred_.erase(found);
  forget(pod);
  return true;
}

bool StateKeeper::mark_disk_released(CgroupId pod) {
  SavedEviction* const known = find(pod);
  if (known == nullptr || !known->for_disk) {
    return false;
  }
  known->for_disk = false;
  forget_if_over(pod);
  return true;
}

void StateKeeper::forget_if_over(CgroupId pod) {
  std::erase_if(now_.in_flight, [&](const SavedEviction& one) {
    return one.pod == pod && one.gone && !one.for_disk;
  });
}

void StateKeeper::forget_left(MonoTime now) {
  std::erase_if(now_.in_flight, [&](const SavedEviction& one) {
    return one.gone && !one.for_disk && now - one.killed_at >= eviction::kReleaseWait;
  });
}

void StateKeeper::set_pod_root(const std::string& path, CgroupId id) {
  now_.origin.pod_root = path;
  now_.origin.pod_root_id = id.id;
}

void StateKeeper::set_wishes(const engine::OperatorWishes& wishes, bool configured_dry_run) {
  now_.wishes = wishes;
  now_.configured_dry_run = configured_dry_run;
}

void StateKeeper::keep(MonoTime now, Lag lag) {
  forget_left(now);
  if (writer_ == nullptr) {
    return;
  }
  // Put back below: a copy of everything would cost as much as many victims are remembered.
  std::vector<SavedThreshold> thresholds = now_.thresholds;
  if (lag == Lag::kSome) {
    std::erase_if(now_.thresholds, [&](const SavedThreshold& met) {
      return !met.past_grace && met.grace_period > Duration{0} && now - met.first_observed < kLag;
    });
  }
  if (is_due(now, lag)) {
    kept_ = now_;
    behind_since_.reset();
    base::fault_point(base::FaultPoint::kStateComposed);
    writer_->write(to_text(now_));
  }
  now_.thresholds = std::move(thresholds);
}

bool StateKeeper::is_due(MonoTime now, Lag lag) {
  if (now_ == kept_) {
    behind_since_.reset();
    return false;
  }
  const eviction::ConditionTimes conditions =
      std::exchange(now_.conditions_last_observed, kept_.conditions_last_observed);
  const bool but_for_conditions = now_ == kept_;
  now_.conditions_last_observed = conditions;
  if (!but_for_conditions || lag == Lag::kNone) {
    return true;
  }
  behind_since_ = behind_since_.value_or(now);
  return now - *behind_since_ >= kLag;
}

bool StateKeeper::await_kept(Duration time) {
  return writer_ == nullptr || writer_->await_written(time);
}

StateWriter::Counters StateKeeper::counters() const {
  return writer_ == nullptr ? StateWriter::Counters{} : writer_->counters();
}

SavedEviction* StateKeeper::find(CgroupId pod) {
  const auto found = std::find_if(now_.in_flight.begin(), now_.in_flight.end(),
                                  [&](const SavedEviction& one) { return one.pod == pod; });
  return found == now_.in_flight.end() ? nullptr : &*found;
}

}  // namespace evictd::daemon
