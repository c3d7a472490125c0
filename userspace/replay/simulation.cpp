// SPDX-License-Identifier: Apache-2.0
#include "replay/simulation.h"

#include <algorithm>
#include <utility>

namespace evictd::replay {

namespace {

/// For a recording that would take for ever; a pass takes microseconds.
constexpr std::uint64_t kMostPasses = 200'000;

}  // namespace

Simulation::Simulation(const Options& options, eviction::EvictionManager manager)
    : options_(options),
      parts_(*options.parts),
      changes_(*options.changes),
      manager_(std::move(manager)),
      world_({.parts = options.parts,
              .facts = options.facts,
              .files_go = options.files_go,
              .pid_scope = manager_.settings().pid_scope}),
      next_tick_(options.parts->passes.front()->now),
      ends_(recorded_ends(*options.parts)),
      disk_wait_(parts_, ends_, recorded_evictions(parts_, *options.recorded)) {
  if (const auto& first = parts_.passes.front()->brakes) {
    begun_ = first->recent;
  }
}

void Simulation::run() {
  MonoTime now = parts_.passes.front()->now;
  take_over_dry_run();
  while (passes_ < kMostPasses) {
    note_oom(now);
    const bool due = is_due(now);
    if (resume_at_ && now >= *resume_at_) {
      resume_at_.reset();
      resume(now);
    } else if (due) {
      run_pass(now);
    }
    spare_the_recorded(now);
    compare_dry_runs();
    const std::optional<MonoTime> next = next_moment(now);
    if (!next) {
      at_the_end_ = true;
      return;
    }
    last_ = now;
    now = *next;
  }
}

const RecordedPass& Simulation::last_recorded() const {
  return *parts_.passes[next_pass_ == 0 ? 0 : next_pass_ - 1];
}

bool Simulation::dry_run() const {
  return changes_.config ? (*changes_.config)->dry_run : last_recorded().dry_run;
}

const eviction::Brakes* Simulation::brakes_at(MonoTime now) {
  const RecordedPass& last = last_recorded();
  if (!last.brakes) {
    return nullptr;
  }
  brakes_ = last.brakes->brakes;
  if (changes_.config) {
    brakes_.max_evictions_per_minute = (*changes_.config)->brakes.max_evictions_per_minute;
  }
  std::erase_if(begun_, [&](MonoTime at) { return now - at >= eviction::kRateWindow; });
  brakes_.recent = begun_;
  if (differs_) {
    brakes_.released_at = world_.freed_at(eviction::Scope::kNode, now);
    brakes_.released_below_pod_root_at = world_.freed_at(eviction::Scope::kPodRoot, now);
  }
  return &brakes_;
}

eviction::PassInput Simulation::input_at(MonoTime now) {
  const RecordedPass& last = last_recorded();
  differs_ = differs_ || (exact_ != nullptr && world_.pretends_otherwise(*exact_));
  const bool as_recorded = exact_ != nullptr && !differs_;
  const World::Seen& seen = as_recorded ? world_.look_at(*exact_) : world_.look(now);
  seen_ = &seen;
  // Between two recorded passes the usage that one waited for has not come; after the last it has.
  const bool usage_pending =
      last.disk_usage_pending && (exact_ != nullptr || next_pass_ < parts_.passes.size());
  eviction::PassInput input{.observations = last.observations ? &seen.observations : nullptr,
                            .pods = seen.pods,
                            .layout = last.layout,
                            .releasing = {},
                            .disk_usage_pending = usage_pending,
                            .disk_progress = last.disk_progress,
                            .cadence = cadence_,
                            .brakes = brakes_at(now)};
  releasing_ = as_recorded ? exact_->releasing : disk_wait_.at(now);
  input.releasing = releasing_;
  return input;
}

void Simulation::run_pass(MonoTime now) {
  ++passes_;
  last_pass_ = now;
  const eviction::Decision& decision = manager_.synchronize(now, input_at(now));
  follow(decision, now);
  if (decision.outcome == eviction::Outcome::kReclaiming) {
    const Duration takes = world_.disk().begin_reclaim(now);
    resume_at_ = now + takes;
    if (takes <= Duration::zero()) {
      resume_at_.reset();
      resume(now);
    }
  }
}

void Simulation::resume(MonoTime now) {
  cadence_ = eviction::Cadence::kEventOnly;
  ++passes_;
  last_pass_ = now;
  follow(manager_.resume(now, input_at(now)), now);
}

void Simulation::follow(const eviction::Decision& decision, MonoTime now) {
  deadline_ = decision.next_deadline;
  if (decision.met.empty()) {
    world_.forget_pretended_for_pressure();
  }
  if (eviction::is_brake(decision.reason)) {
    ++held_[std::string(eviction::to_string(decision.reason))];
  }
  evict_for_local_storage(decision, now);
  evict(decision, now);
  // The daemon passes again at once; where all is as recorded that pass is in the recording.
  if (decision.cut_at_once && !dry_run() && (differs_ || changes_.without_events)) {
    again_at_ = now + kPast;
  }
}

void Simulation::evict(const eviction::Decision& decision, MonoTime now) {
  const bool escalated = decision.outcome == eviction::Outcome::kEscalated;
  const bool evicts = decision.outcome == eviction::Outcome::kEvicted ||
                      decision.outcome == eviction::Outcome::kOomGuard || escalated;
  // Nobody's grace is cut in a dry run, as nobody was given one.
  if (!evicts || !decision.victim || !decision.threshold || (escalated && dry_run())) {
    return;
  }
  const eviction::Threshold& threshold = manager_.thresholds()[*decision.threshold];
  Eviction eviction = begin_eviction(decision, seen_->identities[*decision.victim], now);
  // Not the decision's: where collectors ran, those were made before.
  const auto& seen = seen_->observations[threshold.signal];
  eviction.signal = eviction::to_string(threshold.signal);
  eviction.threshold = eviction::to_string(threshold.value);
  eviction.available = seen ? seen->available : 0;
  eviction.escalated = escalated;
  end(eviction.pod,
      threshold.is_hard() ? eviction::Standing::kInHardGrace : eviction::Standing::kInSoftGrace,
      eviction);
}

void Simulation::evict_for_local_storage(const eviction::Decision& decision, MonoTime now) {
  for (const eviction::LocalStorageVictim& victim : decision.local_victims) {
    Eviction eviction = begin_eviction(decision, seen_->identities[victim.pod], now);
    eviction.local_limit = eviction::to_string(victim.breach.limit);
    end(eviction.pod, eviction::Standing::kInHardGrace, eviction);
  }
}

Eviction Simulation::begin_eviction(const eviction::Decision& decision, std::size_t pod,
                                    MonoTime now) const {
  return {.at = now,
          .pod = pod,
          .name = name_of(*parts_.pods[pod]),
          .uid = parts_.pods[pod]->uid,
          .signal = {},
          .threshold = {},
          .local_limit = {},
          .available = 0,
          .grace = decision.grace,
          .escalated = false,
          .dry_run = dry_run()};
}

void Simulation::end(std::size_t pod, eviction::Standing grace, const Eviction& eviction) {
  evictions_.push_back(eviction);
  if (!eviction.escalated) {
    begun_.push_back(eviction.at);
  }
  const bool as_recorded = is_recorded(eviction);
  differs_ = differs_ || !as_recorded;
  if (eviction.dry_run) {
    world_.pretend(
        pod, eviction.local_limit.empty() ? World::Cause::kPressure : World::Cause::kOwnLimit);
    return;
  }
  const MonoTime kill_at = kill_after(eviction.at, eviction.grace);
  world_.end(pod, grace, kill_at, as_recorded ? World::Fate::kAsRecorded : World::Fate::kOther);
  if (is_of_disk(eviction)) {
    disk_wait_.begin(pod, kill_at,
                     as_recorded ? DiskWait::End::kAsRecorded : DiskWait::End::kOther);
  }
}

/// Whether the recorded pass at this very moment ends the same pod in the same way.
bool Simulation::is_recorded(const Eviction& eviction) const {
  if (exact_ == nullptr || exact_->dry_run != eviction.dry_run) {
    return false;
  }
  const std::vector<std::size_t> recorded = signalled_in(*exact_, parts_);
  return std::find(recorded.begin(), recorded.end(), eviction.pod) != recorded.end() &&
         (eviction.dry_run || grace_of(*exact_) == eviction.grace);
}

void Simulation::spare(std::size_t pod, MonoTime since) {
  differs_ = true;
  if (world_.spare(pod, since)) {
    waiting_.insert(pod);
  }
}

/// Whoever is ended here in the recording, and not by us or later, lives on.
void Simulation::spare_the_recorded(MonoTime now) {
  for (; next_recorded_end_ < ends_.size() && ends_[next_recorded_end_].asked_at <= now;
       ++next_recorded_end_) {
    const RecordedEnd& end = ends_[next_recorded_end_];
    if (world_.is_ended(end.pod)) {
      asked_too_.push_back(end);
    } else {
      spare(end.pod, end.asked_at);
    }
  }
  std::erase_if(asked_too_, [&](const RecordedEnd& end) {
    if (end.last_seen > now) {
      return false;
    }
    // It does not stay longer for being allowed to.
    if (!end.left_early && !world_.is_gone(end.pod, end.kill_at)) {
      spare(end.pod, end.last_seen);
    }
    return true;
  });
}

/// Whom a dry run chose before the recording counts as chosen in one here too, and else as nothing.
void Simulation::take_over_dry_run() {
  const RecordedPass& first = *parts_.passes.front();
  for (const RecordedPodPass& pod : first.pods) {
    if (first.dry_run && dry_run() && is_in_grace(pod.standing)) {
      world_.pretend(parts_.identity[pod.number], World::Cause::kPressure);
    }
  }
}

/// Whoever was chosen in a recorded dry run, and not here, counts as in its grace there only.
void Simulation::compare_dry_runs() {
  for (; next_dry_run_ < next_pass_ && !differs_; ++next_dry_run_) {
    const RecordedPass& pass = *parts_.passes[next_dry_run_];
    const std::vector<std::size_t> chosen =
        pass.dry_run ? signalled_in(pass, parts_) : std::vector<std::size_t>();
    differs_ = !std::all_of(chosen.begin(), chosen.end(),
                            [&](std::size_t pod) { return world_.is_pretended(pod); });
  }
}

}  // namespace evictd::replay
