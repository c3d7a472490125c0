// SPDX-License-Identifier: Apache-2.0
// Whole runs of the daemon's own pass with a simulated clock.
#include <algorithm>
#include <cmath>

#include "convert.h"
#include "eviction/admit.h"
#include "eviction/manager.h"
#include "eviction/message.h"
#include "scenario.h"
#include "support/kubernetes/memcg_notifier.h"

namespace evictd::vectors {
namespace {

using eviction::Compat;
using eviction::Condition;
using eviction::Decision;
using eviction::EvictionManager;
using eviction::Outcome;
using eviction::Threshold;

/// What the world saw of one step.
struct StepOutcome {
  Json evicted = Json::array();
  Json kills = Json::array();
  Json gc = Json::array();
  Json events = Json::array();
  Json eviction_counts = Json::object();

  void count(std::string_view label) {
    Json& counter = eviction_counts[std::string(label)];
    counter = counter.is_null() ? 1 : counter.get<int>() + 1;
  }

  [[nodiscard]] Json json() const {
    Json result = Json::object();
    const auto add = [&](const char* key, const Json& value) {
      if (!value.empty()) {
        result[key] = value;
      }
    };
    add("evicted", evicted);
    add("kills", kills);
    add("gc", gc);
    add("events", events);
    add("evictionCounts", eviction_counts);
    return result;
  }
};

class Run {
 public:
  Run(Scenario scenario, EvictionManager manager, Compat compat)
      : scenario_(std::move(scenario)), manager_(std::move(manager)), compat_(compat) {}

  Json step(const JsonReader& step) {
    advance(step);
    const std::vector<eviction::PassPod> pods =
        pass_pods(scenario_.pods, scenario_.active, scenario_.statistics);
    Json answer = Json::object();
    StepOutcome outcome;
    synchronize(step, pods, answer, outcome);
    add_conditions(answer);
    add_admissions(step, answer);
    answer["outcome"] = outcome.json();
    return answer;
  }

 private:
  void advance(const JsonReader& step) {
    if (const JsonReader seconds = step.at("advance"); seconds.value().is_number()) {
      advance_clock(seconds);
    }
    if (const JsonReader node = step.at("node"); node.present()) {
      scenario_.node = node_statistics(node);
    }
    if (const JsonReader stats = step.at("stats"); stats.present()) {
      scenario_.statistics = statistics_list(stats);
    }
    if (const JsonReader active = step.at("active"); active.present()) {
      scenario_.set_active(active);
    }
  }

  /// No clock goes back, and this one ends where that of a recording does.
  void advance_clock(const JsonReader& reader) {
    constexpr double kLast = std::int64_t{1} << 61U;
    const double step = reader.value().get<double>() * 1e9;
    const double next = static_cast<double>(now_.time_since_epoch().count()) + step;
    if (!(step >= 0 && step <= kLast && next <= kLast)) {
      reader.reject("must be seconds from 0 to what ends by the year 2043");
      return;
    }
    now_ += Duration(std::llround(step));
  }

  void synchronize(const JsonReader& step, const std::vector<eviction::PassPod>& pods, Json& answer,
                   StepOutcome& outcome) {
    const eviction::Observations seen = observe(scenario_.node, compat_);
    eviction::PassInput input;
    input.observations = step.at("summaryError").flag() ? nullptr : &seen;
    input.pods = pods;
    input.layout = scenario_.layout;
    input.layout->split_container_fs =
        scenario_.layout.split_container_fs && !step.at("splitInfoError").flag();
    if (step.at("diskInfoError").flag()) {
      input.layout.reset();
    }
    const Decision* decision = &manager_.synchronize(now_, input);
    if (decision->reason == eviction::Reason::kNoLayout && compat_ != Compat::k1_26) {
      answer["error"] =
          "eviction manager: failed to get HasDedicatedImageFs: disk info unavailable";
    }
    if (decision->learnt_layout && compat_ != Compat::k1_26) {
      answer["containerFsThresholds"] = containerfs_thresholds();
    }
    if (decision->refresh_watch_points && scenario_.notifies) {
      if (Json list = notifiers(); !list.empty()) {
        answer["notifier"] = std::move(list);
      }
    }
    if (decision->threshold) {
      outcome.events.push_back({{"type", "Warning"},
                                {"reason", eviction::kThresholdMetReason},
                                {"message", threshold_met_text(acted_on(*decision))},
                                {"node", true}});
    }
    if (decision->outcome == Outcome::kReclaiming) {
      decision = &reclaim(step, input, decision->collectors, outcome);
    }
    if (decision->outcome == Outcome::kEvicted) {
      evict(*decision, pods, outcome);
    }
  }

  [[nodiscard]] eviction::Resource acted_on(const Decision& decision) const {
    return resource_of(manager_.thresholds()[*decision.threshold].signal);
  }

  const Decision& reclaim(const JsonReader& step, eviction::PassInput input,
                          const eviction::CollectorList& collectors, StepOutcome& outcome) {
    eviction::NodeStatistics visible = scenario_.node;
    for (const eviction::Collector collector : collectors) {
      outcome.gc.push_back(to_string(collector));
      const JsonReader effect = step.at("reclaim").at(
          collector == eviction::Collector::kContainers ? "containerGC" : "imageGC");
      if (const JsonReader node = effect.at("node"); node.present()) {
        visible = node_statistics(node);
      }
    }
    const eviction::Observations seen = observe(visible, compat_);
    input.observations = step.at("reclaim").at("summaryError").flag() ? nullptr : &seen;
    return manager_.resume(now_, input);
  }

  void evict(const Decision& decision, const std::vector<eviction::PassPod>& pods,
             StepOutcome& outcome) const {
    for (const eviction::LocalStorageVictim& victim : decision.local_victims) {
      const eviction::PassPod& pod = pods[victim.pod];
      const std::string message =
          local_storage_text(*pod.pod, *pod.statistics, victim.breach, compat_);
      add_victim(*pod.pod, {message, {}}, decision, outcome);
      outcome.count(to_string(victim.breach.limit));
    }
    if (!decision.victim) {
      return;
    }
    const eviction::PassPod& pod = pods[*decision.victim];
    const eviction::EvictionText text =
        eviction_text({acted_on(decision), *pod.pod, pod.statistics, manager_.thresholds(),
                       decision.actionable, decision.observations},
                      compat_);
    add_victim(*pod.pod, text, decision, outcome);
    outcome.kills.back()["disruptionReason"] = eviction::kDisruptionReason;
    outcome.count(to_string(manager_.thresholds()[*decision.threshold].signal));
  }

  static void add_victim(const eviction::Pod& pod, const eviction::EvictionText& text,
                         const Decision& decision, StepOutcome& outcome) {
    Json event{{"type", "Warning"},
               {"reason", eviction::kEvictedReason},
               {"message", text.message},
               {"pod", pod.name}};
    if (!text.annotations.empty()) {
      event["annotations"] = text.annotations;
    }
    outcome.events.push_back(std::move(event));
    outcome.kills.push_back(
        {{"pod", pod.name},
         {"gracePeriod", std::chrono::ceil<std::chrono::seconds>(decision.grace).count()},
         {"message", text.message}});
    outcome.evicted.push_back(pod.name);
  }

  [[nodiscard]] Json containerfs_thresholds() const {
    std::vector<Threshold> list;
    for (const Threshold& threshold : manager_.thresholds().all()) {
      if (threshold.signal == eviction::Signal::kContainerFsAvailable ||
          threshold.signal == eviction::Signal::kContainerFsInodesFree) {
        list.push_back(threshold);
      }
    }
    return sorted_thresholds_json(list);
  }

  [[nodiscard]] Json notifiers() const {
    std::vector<Threshold> watched;
    for (const Threshold& threshold : scenario_.thresholds) {
      if (is_memory(threshold.signal)) {
        watched.push_back(threshold);
      }
    }
    std::stable_sort(watched.begin(), watched.end(), [](const Threshold& a, const Threshold& b) {
      return std::tuple(to_string(a.signal), a.grace_period) <
             std::tuple(to_string(b.signal), b.grace_period);
    });
    Json list = Json::array();
    for (const Threshold& threshold : watched) {
      Json entry{{"notifier", test::notifier_description(threshold)}};
      if (const auto notifier = test::memcg_notifier(threshold, scenario_.node)) {
        entry["threshold"] = notifier->threshold_bytes;
      } else {
        entry["error"] = to_string(notifier.error());
      }
      list.push_back(std::move(entry));
    }
    return list;
  }

  void add_conditions(Json& answer) const {
    const eviction::ConditionSet conditions = manager_.state().conditions;
    const auto flag = [&](Condition condition, const char* key) {
      if (conditions.has(condition)) {
        answer["conditions"].push_back(to_string(condition));
        answer[key] = true;
      }
    };
    flag(Condition::kDiskPressure, "diskPressure");
    flag(Condition::kMemoryPressure, "memoryPressure");
    flag(Condition::kPidPressure, "pidPressure");
  }

  void add_admissions(const JsonReader& step, Json& answer) const {
    for (const JsonReader& name : step.at("admit").elements()) {
      const std::optional<std::size_t> place = scenario_.place_of(name);
      if (!place) {
        continue;
      }
      const eviction::Admission admission =
          admit(scenario_.pods.facts[*place], manager_.state().conditions);
      Json entry{{"pod", name.text()}, {"admit", admission.admitted}};
      if (!admission.admitted) {
        entry["reason"] = admission.reason;
        entry["message"] = admission.message;
      }
      answer["admit"].push_back(std::move(entry));
    }
  }

  Scenario scenario_;
  EvictionManager manager_;
  Compat compat_;
  MonoTime now_ = scenario_.start;
};

}  // namespace

Result<Json> answer_synchronize(const Json& input_json, Compat compat) {
  Input input(input_json);
  const JsonReader root = input.root();
  Result<Scenario> scenario = read_scenario(root, compat);
  if (!scenario) {
    return tl::unexpected(scenario.error());
  }
  Result<EvictionManager> manager = EvictionManager::create(scenario->settings(compat));
  if (!manager) {
    return tl::unexpected(manager.error());
  }
  Run run(*std::move(scenario), *std::move(manager), compat);
  Json steps = Json::array();
  for (const JsonReader& step : root.at("steps").elements()) {
    steps.push_back(run.step(step));
  }
  return input.checked({{"steps", steps}});
}

namespace {

bool accept_step(Json expected, Json actual) {
  Json outcomes = Json::array({Json::object()});
  if (expected.contains("outcomes")) {
    outcomes = expected["outcomes"];
  }
  const Json outcome = actual.value("outcome", Json::object());
  expected.erase("outcomes");
  actual.erase("outcome");
  return expected == actual &&
         std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end();
}

}  // namespace

bool accept_synchronize(const Json& expected, const Json& actual) {
  const Json& wanted = expected.at("steps");
  const Json& steps = actual.at("steps");
  return wanted.size() == steps.size() &&
         std::equal(wanted.begin(), wanted.end(), steps.begin(), accept_step);
}

}  // namespace evictd::vectors
