// SPDX-License-Identifier: Apache-2.0
// Executes the engine's effects and checks them.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "simulation/world.h"

namespace evictd::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Makes a second reading in a turn newer than the first.
constexpr Duration kPassTakes = std::chrono::microseconds(50);
constexpr std::int64_t kMiB = 1024 * 1024;

/// Allowed turns in a row that leave work: one turn has more rounds than there are pods to refuse.
constexpr int kMostTurnsAtOnce = 2;

}  // namespace

void World::check_turn() {
  if (now_ - reported_at_ > kInterval + seconds(1)) {
    broken("no pass for longer than the regular cadence");
  }
  if (crossed_at_ && now_ - *crossed_at_ > seconds(1)) {
    broken("a reported crossing had no pass");
  }
  if (deadline_ && now_ - *deadline_ > seconds(1)) {
    broken("a deadline had no pass");
  }
  turns_at_once_ = wait_.at_once ? turns_at_once_ + 1 : 0;
  if (turns_at_once_ > kMostTurnsAtOnce) {
    broken("turns leave work without end");
  }
}

void World::tell(const engine::Event& event) {
  Answer next = event;
  while (next) {
    const engine::Effects effects = engine_->on(*next, now_);
    next.reset();
    for (const engine::Effect& effect : effects) {
      note(effect.index());
      if (Answer answer = std::visit([this](const auto& one) { return perform(one); }, effect)) {
        next = std::move(answer);
      }
    }
  }
}

World::Answer World::perform(const engine::Wait& wait) {
  wait_ = wait;
  return std::nullopt;
}

World::Answer World::perform(const engine::Read& read) {
  now_ += kPassTakes;
  const bool missing = !without_.bad_readings && numbers_.one_in(50);
  const bool old = !without_.bad_readings && numbers_.one_in(50);
  if (!old) {
    seen_ = {};
    if (!missing) {
      seen_[eviction::Signal::kMemoryAvailable] = memory_at(read.at);
    }
  }
  return read_pods(*engine_);
}

eviction::Observation World::memory_at(MonoTime time) const {
  eviction::Observation memory{.available = available(), .capacity = capacity_, .time = time};
  memory.rate = std::max<std::int64_t>(growth(), 0);
  return memory;
}

engine::ReadingsTaken World::read_pods(const engine::Engine& engine) {
  shown_.clear();
  slots_.clear();
  usages_.clear();
  for (const Pod& pod : pods_) {
    if (!pod.present || !pod.running) {
      continue;
    }
    const CgroupUsage usage = usage_of(pod);
    eviction::PassPod shown;
    shown.facts = &pod.facts;
    shown.reading.state = eviction::ReadingState::kRead;
    shown.reading.working_set_bytes = usage.usage.value;
    shown.reading.processes = usage.tasks;
    shown_.push_back(shown);
    slots_.push_back(pod.view.slot);
    usages_.push_back(usage);
  }
  followed_.clear();
  for (const std::uint32_t slot : engine.followed()) {
    followed_.push_back({.usage = usage_of(pods_[slot - 1])});
  }
  engine::ReadingsTaken taken;
  taken.observations = &seen_;
  taken.pods = shown_;
  taken.slots = slots_;
  taken.usages = usages_;
  taken.followed = followed_;
  return taken;
}

World::Answer World::perform(const engine::LookAgain& /*look*/) {
  return engine::LookedAgain{.next_look = kInterval};
}

World::Answer World::perform(const engine::Signal& signal) {
  Pod& pod = pods_[slots_[signal.pod] - 1];
  note(pod.view.id.id);
  note(static_cast<std::uint64_t>(signal.grace.count()));
  if (signal.begun_by_kernel) {
    return adopted(pod);
  }
  check_signal(signal, pod);
  if (pod.end == Pod::End::kExceeded) {
    return engine::Signalled{.refused = Errc::kBusy, .ticket = {}, .last_at = {}};
  }
  if (pod.is_refused) {
    return engine::Signalled{.refused = Errc::kInvalid, .ticket = {}, .last_at = {}};
  }
  if (!without_.refusals && numbers_.one_in(20)) {
    constexpr std::array kWhy{Errc::kIo, Errc::kInvalid, Errc::kNotFound};
    return engine::Signalled{.refused = kWhy.at(static_cast<std::size_t>(numbers_.up_to(2))),
                             .ticket = {},
                             .last_at = {}};
  }
  const auto index = static_cast<std::size_t>(&pod - pods_.data());
  pod.ticket = {.slot = pod.view.slot, .generation = ++tickets_};
  pod.hard = signal.hard;
  pod.dry_run = signal.dry_run;
  pod.kill_due_at = signal.kill_due_at;
  pod.end = Pod::End::kTerminating;
  if (signal.dry_run) {
    return engine::Signalled{.refused = std::nullopt, .ticket = pod.ticket, .last_at = now_};
  }
  if (signal.grace.count() == 0) {
    kill(index);
  } else {
    if (pod.obeys_sigterm) {
      plan(now_ + pod.time_to_end, What::kExit, index);
    }
    plan(signal.kill_due_at, What::kKillDue, index);
  }
  return engine::Signalled{.refused = std::nullopt, .ticket = pod.ticket, .last_at = now_};
}

World::Answer World::perform(const engine::CutGrace& cut) {
  Pod& pod = pods_[slots_[cut.pod] - 1];
  note(pod.view.id.id);
  if (pod.end != Pod::End::kTerminating || pod.ticket != cut.ticket) {
    return engine::Signalled{.refused = Errc::kInvalid, .ticket = {}, .last_at = {}};
  }
  const auto index = static_cast<std::size_t>(&pod - pods_.data());
  pod.kill_due_at = std::min(pod.kill_due_at, cut.kill_due_at);  // Never later than before.
  pod.hard = true;
  if (pod.kill_due_at <= now_) {
    kill(index);
  } else {
    plan(pod.kill_due_at, What::kKillDue, index);
  }
  return engine::Signalled{.refused = std::nullopt, .ticket = pod.ticket, .last_at = now_};
}

World::Answer World::perform(const engine::ReadVictim& read) {
  const Pod* pod = find(read.pod);
  return engine::VictimRead{.pod = read.pod,
                            .usage = pod != nullptr ? usage_of(*pod) : CgroupUsage{}};
}

World::Answer World::perform(const engine::GoOnWith& eviction) {
  Pod& pod = *find(eviction.pod);
  pod.ticket = {.slot = pod.view.slot, .generation = ++tickets_};
  return engine::WentOn{.refused = std::nullopt, .ticket = pod.ticket};
}

World::Answer World::perform(const engine::ScanPods& scan) {
  scan_ = scan.round;
  if (!numbers_.one_in(10)) {
    plan(now_ + about(milliseconds(400)), What::kScanned);
  }
  return engine::ScanAsked{.asked = !numbers_.one_in(20)};
}

World::Answer World::perform(const engine::EndPretended& end) {
  for (Pod& pod : pods_) {
    if (pod.ticket == end.ticket && pod.dry_run) {
      pod.end = Pod::End::kNone;
      pod.dry_run = false;
    }
  }
  return std::nullopt;
}

World::Answer World::perform(const engine::ClearIntent& /*clear*/) {
  return std::nullopt;
}

/// A threshold whose grace period has passed leads to an action or a reason.
World::Answer World::perform(const engine::Report& /*report*/) {
  const eviction::Decision& decision = engine_->decision();
  reported_at_ = now_;
  crossed_at_.reset();
  deadline_ = decision.next_deadline;
  if (const auto& seen = seen_[eviction::Signal::kMemoryAvailable]; seen && most_since_kill_) {
    most_since_kill_ = std::max(*most_since_kill_, seen->available);
  }
  ++passes_;
  note(static_cast<std::uint64_t>(decision.outcome));
  const bool idle = decision.outcome == eviction::Outcome::kNothingMet ||
                    decision.outcome == eviction::Outcome::kInGrace;
  if (!decision.past_grace.empty() && idle) {
    broken("a threshold past its grace period led to no action");
  }
  if (decision.outcome == eviction::Outcome::kHeld && decision.reason == eviction::Reason::kNone) {
    broken("held without a reason");
  }
  check_wait(decision);
  return std::nullopt;
}

/// evictd must not wait for a pod that is gone and left nothing charged.
void World::check_wait(const eviction::Decision& decision) {
  const bool waits = decision.outcome == eviction::Outcome::kHeld &&
                     (decision.reason == eviction::Reason::kVictimInGrace ||
                      decision.reason == eviction::Reason::kReleasePending);
  const bool somebody = std::any_of(pods_.begin(), pods_.end(), [](const Pod& pod) {
    return pod.end != Pod::End::kNone || (pod.present && !pod.running && pod.left > 0);
  });
  if (waits && !somebody) {
    broken("evictd waits for a victim that is gone");
  }
}

void World::check_signal(const engine::Signal& signal, const Pod& pod) {
  if (pod.is_protected) {
    broken("a protected pod was signalled");
  }
  if (!pod.running) {
    broken("a pod without processes was signalled");
  }
  if (signal.dry_run != wishes_.dry_run.value_or(false)) {
    broken("a signal in dry run, or a dry run that was not requested");
  }
  const auto& now_seen = seen_[eviction::Signal::kMemoryAvailable];
  if (now_ < wishes_.pauses.all && now_seen && now_seen->available >= limit()) {
    broken("a pod was signalled during a pause");
  }
  if ((pod.end == Pod::End::kTerminating || pod.end == Pod::End::kKilled) && !pod.dry_run) {
    broken("a pod was signalled a second time");
  }
  std::int64_t owed = 0;
  for (const Pod& other : pods_) {
    if (&other == &pod || other.dry_run || !other.present) {
      continue;
    }
    if (other.end == Pod::End::kTerminating && other.hard) {
      broken("a second pod was signalled while one is in its hard grace");
    }
    if (other.end == Pod::End::kKilled) {
      owed += other.bytes_at(now_) - std::min(other.bytes_at(now_), other.left);
    }
  }
  const auto& seen = seen_[eviction::Signal::kMemoryAvailable];
  // A further fall since then ends the wait for the pod's memory.
  if (signal.hard && seen && owed > 0 && most_since_kill_ && seen->available >= *most_since_kill_ &&
      seen->available + owed >= 2 * limit() + 200 * kMiB) {
    broken("a pod was evicted for memory that is already being freed");
  }
}

void World::broken(const std::string& property) {
  if (broken_.empty()) {
    const auto at =
        std::chrono::duration_cast<milliseconds>(now_ - MonoTime{std::chrono::hours(1)});
    broken_ = property + " after " + std::to_string(at.count()) + " ms";
  }
}

void World::note(std::uint64_t number) {
  fingerprint_ = (fingerprint_ ^ number) * 0x100000001b3U + 0x9e3779b97f4a7c15U;
}

}  // namespace evictd::simulation
