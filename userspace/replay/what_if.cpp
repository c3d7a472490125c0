// SPDX-License-Identifier: Apache-2.0
#include "replay/what_if.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "config/pass_settings.h"
#include "eviction/manager.h"
#include "replay/world.h"

namespace evictd::replay {

namespace {

/// For a recording that would take for ever; a pass takes microseconds.
constexpr std::uint64_t kMostPasses = 200'000;

/// A recording taken apart.
struct Parts {
  std::vector<const RecordedPod*> pods;
  std::vector<const RecordedPass*> passes;
  const RecordedConfig* config = nullptr;
};

Result<Parts> parts_of(const Recording& recording) {
  Parts parts;
  for (const RecordedItem& item : recording.items) {
    if (const auto* pod = std::get_if<RecordedPod>(&item)) {
      parts.pods.resize(std::max(parts.pods.size(), pod->number + 1));
      parts.pods[pod->number] = pod;
    } else if (const auto* pass = std::get_if<RecordedPass>(&item)) {
      parts.passes.push_back(pass);
    } else if (const auto* config = std::get_if<RecordedConfig>(&item);
               config != nullptr && parts.config == nullptr) {
      parts.config = config;
    }
  }
  if (parts.passes.empty() || parts.config == nullptr) {
    return fail(Errc::kMalformed, "the recording has no pass, or no configuration");
  }
  return parts;
}

std::string name_of(const RecordedPod& pod) {
  return pod.name.empty() ? pod.uid : pod.ns + "/" + pod.name;
}

/// The recorded decision of a pass, if it was acted on.
std::optional<std::size_t> recorded_victim(const RecordedPass& pass) {
  const auto victim = pass.decision.find("victim");
  if (!pass.signal_at || victim == pass.decision.end() || !victim->is_number_unsigned() ||
      victim->get<std::size_t>() >= pass.pods.size()) {
    return std::nullopt;
  }
  return pass.pods[victim->get<std::size_t>()].number;
}

bool is_regular(const RecordedPass& pass) {
  return pass.trigger == "regular";
}

/// Goes through the time of a recording, with a manager of its own.
class Simulation {
 public:
  Simulation(const Parts& parts, const WhatIf& changes, eviction::EvictionManager manager,
             Duration interval)
      : parts_(parts),
        changes_(changes),
        manager_(std::move(manager)),
        interval_(interval),
        world_(parts.pods, parts.passes),
        next_tick_(parts.passes.front()->now) {}

  void run() {
    MonoTime now = parts_.passes.front()->now;
    while (result.passes < kMostPasses) {
      note_oom(now);
      if (is_due(now)) {
        run_pass(now);
      }
      spare_the_recorded(now);
      const std::optional<MonoTime> next = next_moment(now);
      if (!next) {
        return;
      }
      last_ = now;
      now = *next;
    }
  }

  Counterfactual result;
  std::vector<Eviction> evictions;
  /// By the pod that was spared last before it.
  std::vector<std::pair<OutOfMemory, std::set<std::size_t>>> ooms;

 private:
  [[nodiscard]] bool has_ticks() const { return changes_.without_events || changes_.interval; }

  /// Whether a pass is run at `now`, and takes what is due off the list.
  bool is_due(MonoTime now) {
    bool due = false;
    while (next_pass_ < parts_.passes.size() && parts_.passes[next_pass_]->now <= now) {
      const RecordedPass& pass = *parts_.passes[next_pass_++];
      cadence_ = pass.cadence;
      due = due || (!changes_.without_events && !(has_ticks() && is_regular(pass)));
    }
    if (has_ticks() && now >= next_tick_) {
      next_tick_ = now + interval_;
      cadence_ = eviction::Cadence::kRegular;
      due = true;
    }
    if (deadline_ && now >= *deadline_) {
      deadline_.reset();
      cadence_ = eviction::Cadence::kRegular;
      due = true;
    }
    if (crossing_ && now >= *crossing_) {
      crossing_.reset();
      cadence_ = eviction::Cadence::kEventOnly;
      due = true;
    }
    return due;
  }

  void run_pass(MonoTime now) {
    const World::Seen& seen = world_.look(now);
    const RecordedPass& last = *parts_.passes[next_pass_ == 0 ? 0 : next_pass_ - 1];
    ++result.passes;
    const eviction::PassInput input{
        .observations = last.observations ? &seen.observations : nullptr,
        .pods = seen.pods,
        .layout = last.layout,
        .releasing = {},
        .cadence = cadence_,
        .brakes = nullptr};
    const eviction::Decision* made = &manager_.synchronize(now, input);
    if (made->outcome == eviction::Outcome::kReclaiming) {
      made = &manager_.resume(now, input);
    }
    const eviction::Decision& decision = *made;
    deadline_ = decision.next_deadline;
    const bool evicts = decision.outcome == eviction::Outcome::kEvicted ||
                        decision.outcome == eviction::Outcome::kEscalated;
    if (!evicts || !decision.victim || !decision.threshold) {
      return;
    }
    const std::size_t pod = seen.numbers[*decision.victim];
    note_eviction(decision, pod, now);
    const bool hard = manager_.thresholds()[*decision.threshold].is_hard();
    world_.end(pod, hard ? eviction::Standing::kInHardGrace : eviction::Standing::kInSoftGrace,
               now + std::min<Duration>(decision.grace, std::chrono::hours(24)));
  }

  void note_eviction(const eviction::Decision& decision, std::size_t pod, MonoTime now) {
    const eviction::Threshold& threshold = manager_.thresholds()[*decision.threshold];
    const auto& seen = decision.observations[threshold.signal];
    evictions.push_back({.at = now,
                         .pod = pod,
                         .name = name_of(*parts_.pods[pod]),
                         .uid = parts_.pods[pod]->uid,
                         .signal = std::string(eviction::to_string(threshold.signal)),
                         .threshold = eviction::to_string(threshold.value),
                         .available = seen ? seen->available : 0,
                         .grace_seconds = decision.grace.count(),
                         .escalated = decision.outcome == eviction::Outcome::kEscalated});
  }

  /// Whoever is ended here in the recording, and not by us, lives on.
  void spare_the_recorded(MonoTime now) {
    for (; next_spare_ < parts_.passes.size() && parts_.passes[next_spare_]->now <= now;
         ++next_spare_) {
      const std::optional<std::size_t> pod = recorded_victim(*parts_.passes[next_spare_]);
      if (pod && !world_.is_ended(*pod) && !world_.is_spared(*pod)) {
        world_.spare(*pod, parts_.passes[next_spare_]->now);
        waiting_.insert(*pod);
      }
    }
  }

  /// Memory that goes below nothing since the last moment.
  void note_oom(MonoTime now) {
    for (const eviction::Signal signal : eviction::kSignals) {
      if (!eviction::is_memory(signal) || waiting_.empty() || last_ == MonoTime{}) {
        continue;
      }
      const std::optional<double> from = world_.available(signal, last_);
      const std::optional<double> to = world_.available(signal, now);
      if (!from || !to || *from <= 0 || *to > 0) {
        continue;
      }
      const auto share = *from / (*from - *to);
      const auto after = std::chrono::duration<double>(now - last_) * share;
      ooms.emplace_back(OutOfMemory{.at = last_ + std::chrono::duration_cast<Duration>(after),
                                    .signal = std::string(eviction::to_string(signal))},
                        waiting_);
    }
  }

  /// When a threshold that is not met would be crossed before `until`, in a straight line.
  void find_crossing(MonoTime now, MonoTime until) {
    crossing_.reset();
    if (changes_.without_events || !world_.any_spared()) {
      return;
    }
    const eviction::ThresholdTable& table = manager_.thresholds();
    for (std::size_t place = 0; place < table.size(); ++place) {
      const auto& seen = manager_.state().last_observations[table[place].signal];
      const auto from = world_.available(table[place].signal, now);
      const auto to = world_.available(table[place].signal, until);
      if (!seen || !from || !to) {
        continue;
      }
      const auto limit =
          static_cast<double>(table.limit(place, seen->capacity, eviction::MinReclaim::kIgnored));
      if (*from < limit || *to >= limit) {
        continue;
      }
      const auto after =
          std::chrono::duration<double>(until - now) * ((*from - limit) / (*from - *to));
      const MonoTime at =
          now + std::chrono::duration_cast<Duration>(after) + std::chrono::microseconds(1);
      if (!crossing_ || at < *crossing_) {
        crossing_ = at;
      }
    }
  }

  /// The end of what is looked at: with pods that live on, so long after the recording that every
  /// way to end them has had its turn.
  [[nodiscard]] MonoTime horizon() const {
    const MonoTime end = parts_.passes.back()->now;
    if (!world_.any_spared()) {
      return end;
    }
    Duration longest = 2 * interval_;
    for (const eviction::Threshold& threshold : manager_.thresholds().all()) {
      longest =
          std::max(longest, std::min<Duration>(threshold.grace_period, std::chrono::hours(24)) +
                                2 * interval_);
    }
    return end + longest;
  }

  std::optional<MonoTime> next_moment(MonoTime now) {
    const MonoTime end = horizon();
    std::optional<MonoTime> next;
    const auto consider = [&](const std::optional<MonoTime>& moment) {
      if (moment && *moment > now && *moment <= end && (!next || *moment < *next)) {
        next = moment;
      }
    };
    if (next_pass_ < parts_.passes.size()) {
      consider(parts_.passes[next_pass_]->now);
    }
    if (has_ticks()) {
      consider(next_tick_);
    }
    consider(deadline_);
    consider(world_.next_end(now));
    find_crossing(now, next.value_or(end));
    consider(crossing_);
    return next;
  }

  const Parts& parts_;
  const WhatIf& changes_;
  eviction::EvictionManager manager_;
  Duration interval_;
  World world_;
  MonoTime next_tick_{};
  MonoTime last_{};
  std::size_t next_pass_ = 0;
  std::size_t next_spare_ = 0;
  eviction::Cadence cadence_ = eviction::Cadence::kRegular;
  std::optional<MonoTime> deadline_;
  std::optional<MonoTime> crossing_;
  /// Ended in the recording, and alive here when memory ran out.
  std::set<std::size_t> waiting_;
};

/// What was acted on, as the thresholds of the recorded configuration name it.
void describe(Eviction& eviction, const RecordedPass& pass,
              const eviction::ThresholdTable& thresholds) {
  const auto place = pass.decision.find("threshold");
  if (place == pass.decision.end() || !place->is_number_unsigned() ||
      place->get<std::size_t>() >= thresholds.size()) {
    return;
  }
  const eviction::Threshold& threshold = thresholds[place->get<std::size_t>()];
  eviction.signal = eviction::to_string(threshold.signal);
  eviction.threshold = eviction::to_string(threshold.value);
  if (pass.observations && (*pass.observations)[threshold.signal]) {
    eviction.available = (*pass.observations)[threshold.signal]->available;
  }
  const auto grace = pass.decision.find("grace");
  if (grace != pass.decision.end() && grace->is_number_unsigned()) {
    eviction.grace_seconds = grace->get<std::int64_t>();
  }
}

std::vector<Eviction> recorded_evictions(const Parts& parts,
                                         const eviction::ThresholdTable& thresholds) {
  std::vector<Eviction> evictions;
  for (const RecordedPass* pass : parts.passes) {
    const std::optional<std::size_t> pod = recorded_victim(*pass);
    if (!pod) {
      continue;
    }
    const auto outcome = pass->decision.find("outcome");
    Eviction eviction{.at = pass->now,
                      .pod = *pod,
                      .name = name_of(*parts.pods[*pod]),
                      .uid = parts.pods[*pod]->uid,
                      .signal = {},
                      .threshold = {},
                      .available = 0,
                      .grace_seconds = 0,
                      .escalated = outcome != pass->decision.end() && *outcome == "escalated"};
    describe(eviction, *pass, thresholds);
    evictions.push_back(std::move(eviction));
  }
  return evictions;
}

/// The same pod where there is one, in order.
void pair_up(Counterfactual& result, const Simulation& simulation,
             const std::vector<Eviction>& recorded) {
  std::vector<bool> used(simulation.evictions.size(), false);
  for (const Eviction& was : recorded) {
    Comparison line;
    line.recorded = was;
    for (std::size_t i = 0; i < used.size() && !line.instead; ++i) {
      if (!used[i] && simulation.evictions[i].uid == was.uid) {
        used[i] = true;
        line.instead = simulation.evictions[i];
        line.later = line.instead->at - was.at;
        if (!was.signal.empty() && was.signal == line.instead->signal) {
          line.more_used = was.available - line.instead->available;
        }
      }
    }
    for (const auto& [oom, waiting] : simulation.ooms) {
      if (waiting.contains(was.pod) && (!line.instead || oom.at <= line.instead->at) &&
          (!line.oom_first || oom.at < line.oom_first->at)) {
        line.oom_first = oom;
      }
    }
    result.evictions.push_back(std::move(line));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) {
      Comparison line;
      line.instead = simulation.evictions[i];
      result.evictions.push_back(std::move(line));
    }
  }
}

}  // namespace

Result<Counterfactual> what_if(const Recording& recording, const WhatIf& changes) {
  const Result<Parts> parts = parts_of(recording);
  if (!parts) {
    return Failure(parts.error());
  }
  const Result<config::Config> was =
      config::parse(parts->config->yaml, "the recorded configuration");
  if (!was) {
    return Failure(was.error());
  }
  const config::Config& config = changes.config ? *changes.config : *was;
  eviction::PassSettings settings = config::pass_settings_of(config);
  settings.compat = changes.compat.value_or(settings.compat);
  Result<eviction::EvictionManager> before =
      eviction::EvictionManager::create(config::pass_settings_of(*was));
  Result<eviction::EvictionManager> manager =
      eviction::EvictionManager::create(std::move(settings));
  if (!before || !manager) {
    return Failure(before ? manager.error() : before.error());
  }
  if (parts->passes.front()->before) {
    // As a reload does it.
    before->restore(*parts->passes.front()->before);
    manager->inherit(*before);
  }
  Simulation simulation(*parts, changes, std::move(*manager),
                        changes.interval.value_or(config.settings().poll_interval));
  simulation.run();
  pair_up(simulation.result, simulation, recorded_evictions(*parts, before->thresholds()));
  return std::move(simulation.result);
}

}  // namespace evictd::replay
