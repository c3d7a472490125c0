// SPDX-License-Identifier: Apache-2.0
// What differs from the recording, and who lives on because of it.
#include "replay/simulation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace evictd::replay {

namespace {

/// Those of a dry run count until that ends, as with the daemon.
engine::EvictionTimes times_before(const Parts& parts) {
  engine::EvictionTimes times;
  const RecordedPass& first = *parts.passes.front();
  if (first.brakes) {
    for (const MonoTime at : first.brakes->recent) {
      times.add(at, first.dry_run);
    }
  }
  return times;
}

}  // namespace

Simulation::Simulation(const Options& options, engine::Configuration configuration)
    : options_(options),
      parts_(*options.parts),
      changes_(*options.changes),
      configuration_(std::move(configuration)),
      world_({.parts = options.parts,
              .facts = options.facts,
              .files_go = options.files_go,
              .pid_scope = manager().settings().pid_scope}),
      now_(parts_.passes.front()->now),
      engine_({.configuration = &configuration_,
               .layout = parts_.layout(),
               .has_filesystems = true,
               .eviction_times = times_before(parts_)},
              now_),
      ends_{.recorded = recorded_ends(parts_), .asked_too = {}},
      disk_wait_(parts_, ends_.recorded, recorded_evictions(parts_, *options.recorded)),
      free_slots_(engine::kMaxPods) {
  std::iota(free_slots_.begin(), free_slots_.end(), 0U);
}

void Simulation::run() {
  take_over();
  while (passes() < kMostPasses) {
    find_ooms();
    if (is_due()) {
      take_turns();
    }
    let_recorded_live_on();
    compare_dry_runs();
    const std::optional<MonoTime> next = next_moment();
    if (!next) {
      at_the_end_ = true;
      return;
    }
    last_ = now_;
    now_ = *next;
  }
}

std::uint64_t Simulation::passes() const {
  const auto& passes = engine_.counters().passes;
  return std::accumulate(passes.begin(), passes.end(), std::uint64_t{0});
}

std::map<std::string, std::uint64_t> Simulation::held() const {
  std::map<std::string, std::uint64_t> held;
  const auto& counted = engine_.counters().held;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const auto reason = static_cast<eviction::Reason>(i);
    if (counted.at(i) != 0 && eviction::is_brake(reason)) {
      held.emplace(eviction::to_string(reason), counted.at(i));
    }
  }
  return held;
}

const RecordedPass& Simulation::last_recorded() const {
  return *parts_.passes[next_pass_ == 0 ? 0 : next_pass_ - 1];
}

const RecordedPass* Simulation::exact_at(MonoTime at) const {
  return exact_ != nullptr && exact_->now == at ? exact_ : nullptr;
}

/// Whether the recorded pass at this very moment ends the same pod in the same way.
bool Simulation::is_recorded(const Eviction& eviction) const {
  const RecordedPass* const exact = exact_at(eviction.at);
  if (exact == nullptr || exact->dry_run != eviction.dry_run) {
    return false;
  }
  const std::vector<std::size_t> recorded = signalled_in(*exact, parts_);
  return std::find(recorded.begin(), recorded.end(), eviction.pod) != recorded.end() &&
         (eviction.dry_run || grace_of(*exact) == eviction.grace);
}

void Simulation::let_live_on(std::size_t pod, MonoTime since) {
  differs_ = true;
  if (world_.let_live_on(pod, since)) {
    waiting_.insert(pod);
  }
}

/// Whoever is ended here in the recording, and not by us or later, lives on.
void Simulation::let_recorded_live_on() {
  for (; ends_.next < ends_.recorded.size() && ends_.recorded[ends_.next].asked_at <= now_;
       ++ends_.next) {
    const RecordedEnd& end = ends_.recorded[ends_.next];
    if (world_.is_ended(end.pod)) {
      ends_.asked_too.push_back(end);
    } else {
      let_live_on(end.pod, end.asked_at);
    }
  }
  std::erase_if(ends_.asked_too, [&](const RecordedEnd& end) {
    if (end.last_seen > now_) {
      return false;
    }
    // It does not stay longer for being allowed to.
    if (!end.left_early && !world_.is_gone(end.pod, end.kill_at)) {
      let_live_on(end.pod, end.last_seen);
    }
    return true;
  });
}

/// Whether a dry run has chosen the pod here.
bool Simulation::is_named(std::size_t pod) const {
  const engine::Victim* const victim = engine_.victims().find(cgroup_of(pod));
  return victim != nullptr && victim->dry_run;
}

/// Whether the recorded dry run had others in their grace than are here: chosen before the
/// recording began, or forgotten by one of both. Whoever exceeds a limit of its own has none there.
bool Simulation::names_otherwise(const RecordedPass& pass) const {
  return pass.dry_run && std::any_of(pass.pods.begin(), pass.pods.end(), [&](const auto& pod) {
           const std::size_t identity = parts_.identity[pod.number];
           return !world_.is_ended(identity) && pod.standing != eviction::Standing::kKilled &&
                  is_in_grace(pod.standing) != is_named(identity);
         });
}

/// Whoever was chosen in a recorded dry run, and not here, counts as in its grace there only.
void Simulation::compare_dry_runs() {
  for (; next_dry_run_ < next_pass_ && !differs_; ++next_dry_run_) {
    const RecordedPass& pass = *parts_.passes[next_dry_run_];
    const std::vector<std::size_t> chosen =
        pass.dry_run ? signalled_in(pass, parts_) : std::vector<std::size_t>();
    differs_ =
        !std::all_of(chosen.begin(), chosen.end(), [&](std::size_t pod) { return is_named(pod); });
  }
}

}  // namespace evictd::replay
