// SPDX-License-Identifier: Apache-2.0
#include "daemon/state_keeper.h"

#include <algorithm>
#include <utility>

#include "base/fault_point.h"

namespace evictd::daemon {

namespace {

constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";

/// How far behind the file may be about when a condition was last observed, which each pass moves.
constexpr Duration kConditionLag = std::chrono::seconds(1);

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

StateOrigin origin_here(const std::string& pod_root, CgroupId pod_root_id) {
  std::string boot_id = read_state_file(kBootId).value_or(std::string());
  while (!boot_id.empty() && boot_id.back() == '\n') {
    boot_id.pop_back();
  }
  return {.boot_id = boot_id, .pod_root = pod_root, .pod_root_id = pod_root_id.id};
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
  // A file that says nothing would be no loss.
  kept_ = options_.found.found ? options_.found.state : now_;
  if (!options_.path.empty()) {
    writer_ = std::make_unique<StateWriter>(options_.path);
  }
}

void StateKeeper::note_pass(const PassCopy& copy, const eviction::ThresholdTable& thresholds,
                            MonoTime now) {
  save_pass(copy.state, thresholds, now_);
  now_.evictions = copy.eviction_times.real_within(eviction::kRateWindow, now);
}

void StateKeeper::note_begun(const EvictionBegun& begun, const eviction::Threshold& threshold,
                             MonoTime at) {
  if (begun.dry_run) {
    return;
  }
  SavedEviction eviction = saved_of(begun, at);
  eviction.signal = eviction::to_string(threshold.signal);
  eviction.threshold = eviction::to_string(threshold.value);
  eviction.escalated = begun.escalated;
  eviction.hard = begun.hard;
  eviction.for_disk = eviction::is_disk(threshold.signal);
  keep_eviction(std::move(eviction));
}

void StateKeeper::note_begun(const LocalEvictionBegun& begun, MonoTime at) {
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
    eviction.began_at = known->began_at;
    // One whose grace was cut for another signal is still one whose disk is awaited.
    eviction.for_disk = eviction.for_disk || known->for_disk;
    *known = std::move(eviction);
  } else {
    now_.in_flight.push_back(std::move(eviction));
  }
}

void StateKeeper::note_adopted(const SavedEviction& eviction) {
  ++adopted_;
  now_.in_flight.push_back(eviction);
}

void StateKeeper::note_step(const enforce::Progress& step) {
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
    forget_if_over(step.pod);
  } else if (step.state == enforce::EvictionState::kExceededGrace && !known->killed) {
    // It became protected in its grace: the next evictd has nothing to go on with.
    forget(step.pod);
  }
}

void StateKeeper::forget(CgroupId pod) {
  std::erase_if(now_.in_flight, [&](const SavedEviction& one) { return one.pod == pod; });
}

bool StateKeeper::note_disk_released(CgroupId pod) {
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

void StateKeeper::note_wishes(const OperatorWishes& wishes, bool configured_dry_run) {
  now_.wishes = wishes;
  now_.configured_dry_run = configured_dry_run;
}

void StateKeeper::keep(MonoTime now) {
  if (writer_ == nullptr || now_ == kept_) {
    return;
  }
  SavedState but_for_conditions = now_;
  but_for_conditions.conditions_last_observed = kept_.conditions_last_observed;
  if (but_for_conditions == kept_ && now - kept_at_ < kConditionLag) {
    return;
  }
  kept_ = now_;
  kept_at_ = now;
  base::fault_point(base::FaultPoint::kStateComposed);
  writer_->write(to_text(now_));
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
