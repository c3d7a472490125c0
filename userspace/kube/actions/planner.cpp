// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/planner.h"

#include <chrono>
#include <optional>
#include <utility>

#include "core/rfc3339.h"
#include "export/comparison.h"
#include "kube/actions/names.h"
#include "kube/actions/times.h"
#include "kube/pod_document.h"

namespace evictd::kube {

namespace {

bool is_api_pod(const JournalLine& line) {
  return is_object_name(line.ns) && is_object_name(line.name) && is_file_name(line.uid);
}

/// Adds the entries of one line.
class Plan {
 public:
  Plan(const JournalLine& line, const QueueState& state, const PlannerOptions& options)
      : line_(line), state_(state), options_(options) {
    taken_.seq = line.seq;
  }

  void add_eviction(bool with_status) {
    Entry& entry = add_entry();
    entry.grace_seconds = line_.grace_seconds;
    if (with_status) {
      entry.message = line_.message;
      entry.condition = line_.condition;
      entry.steps.push_back({.kind = Step::Kind::kPodStatus});
    }
    entry.steps.push_back({.kind = Step::Kind::kEvict});
  }

  /// Adds the pod's events only if `with_pod`: the API must know the pod.
  void add_events(bool with_pod) {
    Entry entry = make_entry();
    for (const ReportedEvent& told : line_.events) {
      if (told.is_on_node || with_pod) {
        entry.steps.push_back(
            {.kind = Step::Kind::kEvent, .event = event_note(told, entry, entry.steps.size())});
      }
    }
    if (!entry.steps.empty()) {
      taken_.entries.push_back(std::move(entry));
    }
  }

  /// Adds an event on the controller whose pods are evicted again and again.
  void add_loop(const Controller& controller) {
    Entry entry = make_entry();
    entry.ns = controller.ns;
    entry.name = controller.name;
    entry.uid = controller.uid;
    const ReportedEvent told{.type = "Warning",
                             .reason = "EvictionLoop",
                             .message = "evictd has evicted 3 pods of this " + controller.kind +
                                        " from node " + options_.node + " within 10 minutes"};
    EventNote note = event_note(told, entry, kPlaceOfLoop);
    note.annotations.clear();
    note.api_version = controller.api_version;
    note.kind = controller.kind;
    entry.steps.push_back({.kind = Step::Kind::kEvent, .event = std::move(note)});
    taken_.entries.push_back(std::move(entry));
  }

  void set_controlled(ControlledEviction eviction) { taken_.controlled = std::move(eviction); }
  void set_victim(Victim victim) { taken_.victim = std::move(victim); }
  void set_pressure(const std::optional<Pressure>& pressure) { taken_.pressure = pressure; }
  TakenLine take() { return std::move(taken_); }

 private:
  [[nodiscard]] Entry make_entry() const {
    return {.number = line_.seq * kEntriesOfALine + taken_.entries.size(),
            .ns = line_.ns,
            .name = line_.name,
            .uid = line_.uid,
            .time = line_.time};
  }
  Entry& add_entry() {
    taken_.entries.push_back(make_entry());
    return taken_.entries.back();
  }

  /// Larger than the index of any event in a record.
  static constexpr std::size_t kPlaceOfLoop = 1000;

  /// `place` keeps the names of events with the same time apart.
  [[nodiscard]] EventNote event_note(const ReportedEvent& told, const Entry& about,
                                     std::size_t place) const {
    EventNote note{.is_on_node = told.is_on_node,
                   .type = told.type,
                   .reason = told.reason,
                   .message = told.message};
    const Result<WallTime> at = core::wall_time_from_rfc3339(line_.time);
    const WallTime moment = at.value_or(WallTime{});
    note.last_time = whole_seconds(moment);
    if (!told.is_on_node) {
      note.annotations = line_.annotations;
    }
    const CountedEvents::Known* const known = state_.events().find(event_key(note, about.uid));
    if (known != nullptr) {
      note.name = known->name;
      note.first_time = known->first_time;
      note.count = known->count + 1;
    } else {
      note.name = event_name(told.is_on_node ? options_.node : about.name,
                             static_cast<std::uint64_t>(moment.time_since_epoch().count()) + place);
      note.first_time = note.last_time;
    }
    return note;
  }

  const JournalLine& line_;
  const QueueState& state_;
  const PlannerOptions& options_;
  TakenLine taken_;
};

}  // namespace

namespace {

/// The status that the line reports for this condition; nullopt if none. After a start of evictd no
/// condition is set.
std::optional<bool> reported_status(const JournalLine& line, std::string_view condition) {
  switch (line.kind) {
    case JournalLine::Kind::kCondition:
      return line.name == condition ? std::optional(line.is_set) : std::nullopt;
    case JournalLine::Kind::kStarted:
      return false;
    case JournalLine::Kind::kSkipped: {
      const auto told = line.conditions.find(std::string(condition));
      return told == line.conditions.end() ? std::nullopt : std::optional(told->second);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Pressure> pressure_after(const JournalLine& line, const Pressure& before) {
  Pressure pressure = before;
  for (std::size_t i = 0; i < kPressureKinds.size(); ++i) {
    Pressure::One& one = pressure.kinds[i];
    const std::optional<bool> is_set = reported_status(line, kPressureKinds[i].condition);
    if (is_set && *is_set != one.is_set) {
      one = {.is_set = *is_set, .since = line.time};
    }
  }
  return pressure == before ? std::nullopt : std::optional(pressure);
}

/// An eviction after which a controller creates another pod; nullopt if no controller is known.
std::optional<ControlledEviction> controlled_by(const JournalLine& line,
                                                const PlannerOptions& options) {
  const Result<WallTime> at = core::wall_time_from_rfc3339(line.time);
  if (!options.find_controller || !at || !exporting::is_comparable(*at)) {
    return std::nullopt;
  }
  std::optional<Controller> controller = options.find_controller(line.uid);
  return controller ? std::optional(ControlledEviction{.controller = std::move(*controller),
                                                       .pod_uid = line.uid,
                                                       .id = line.id,
                                                       .at = *at})
                    : std::nullopt;
}

void plan_loop(const JournalLine& line, const QueueState& state, const PlannerOptions& options,
               PlannerCounters& counters, Plan& plan) {
  std::optional<ControlledEviction> eviction = controlled_by(line, options);
  if (!eviction) {
    ++counters.uncontrolled;
    return;
  }
  if (state.loops().closes_loop(*eviction)) {
    ++counters.loops;
    plan.add_loop(eviction->controller);
  }
  plan.set_controlled(std::move(*eviction));
}

}  // namespace

TakenLine plan(const JournalLine& line, const QueueState& state, const PlannerOptions& options,
               PlannerCounters& counters) {
  Plan plan(line, state, options);
  plan.set_pressure(pressure_after(line, state.pressure()));
  const bool is_decision = line.kind == JournalLine::Kind::kDecision;
  const bool has_victim = is_decision && !line.state.empty() && !line.is_spared;
  Victim victim{.uid = line.uid, .id = line.id};
  const bool is_repeated =
      has_victim &&
      (state.knows_decision(victim) || (line.trigger == "restart" && state.knows_victim(line.uid)));
  const bool tells = is_decision || line.kind == JournalLine::Kind::kProgress;
  if (!tells || line.is_dry_run || is_repeated) {
    return plan.take();
  }
  const bool is_ours = is_api_pod(line);
  if (has_victim) {
    counters.evictions += is_ours ? 1 : 0;
    counters.unnamed += is_ours ? 0 : 1;
    plan.set_victim(std::move(victim));
    if (is_ours) {
      plan.add_eviction(line.outcome != "escalated");
    }
  }
  plan.add_events(is_ours);
  if (has_victim && is_ours && line.outcome != "escalated") {
    plan_loop(line, state, options, counters, plan);
  }
  return plan.take();
}

}  // namespace evictd::kube
