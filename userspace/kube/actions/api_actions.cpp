// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/api_actions.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fault_point.h"
#include "base/one_line.h"
#include "evictd/try.h"
#include "export/json_time.h"
#include "kube/actions/journal_line.h"

namespace evictd::kube {

namespace {

using base::fault_point;
using base::FaultPoint;
using OrderedJson = nlohmann::ordered_json;

/// Retry delay after a disk failure.
constexpr Duration kDiskRetryDelay = std::chrono::seconds(2);

}  // namespace

ApiActions::ApiActions(Options options, DurableQueue queue, base::Timer timer)
    : options_(std::move(options)),
      queue_(std::move(queue)),
      dispatcher_(queue_, {.node = options_.node,
                           .requests_per_second = options_.settings.requests_per_second,
                           .respects_budgets = options_.settings.respects_budgets,
                           .random = options_.random,
                           .on_given_up =
                               [this](const std::string& what) {
                                 options_.log->warn(what + ", continuing without it");
                               }}),
      timer_(std::move(timer)) {}

Result<std::unique_ptr<ApiActions>> ApiActions::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  EVICTD_ASSIGN_OR_RETURN(DurableQueue queue, DurableQueue::open(options.settings.state_directory,
                                                                 options.clock->wall_now()));
  // make_unique cannot call a private constructor.
  std::unique_ptr<ApiActions> actions(
      new ApiActions(std::move(options), std::move(queue), std::move(timer)));
  EVICTD_TRY(actions->prepare());
  return actions;
}

Result<> ApiActions::prepare() {
  if (!queue_.damage().empty()) {
    options_.log->warn(queue_.damage() + ", continuing with an empty queue");
  }
  EVICTD_ASSIGN_OR_RETURN(client_, HttpClient::create(*options_.loop, *options_.clock, *this));
  EVICTD_TRY(options_.loop->add(timer_.descriptor(), EPOLLIN, timer_handler_));
  const bool is_own = options_.settings.mode == Mode::kOwn;
  if (is_own || options_.settings.damps_loops) {
    keeper_.emplace(NodeKeeper::Options{
        .node = options_.node,
        .conditions = is_own ? std::optional(options_.settings.node_conditions) : std::nullopt,
        .random = options_.random});
    keeper_->want(wanted_pressure(), options_.clock->now());
  }
  timer_.arm(options_.clock->now());
  return {};
}

ApiActions::~ApiActions() {
  options_.loop->remove(timer_.descriptor(), timer_handler_);
}

std::string ApiActions::follow_request() const {
  if (const std::optional<std::uint64_t> seen = queue_.seen()) {
    return nlohmann::json{{"op", "follow"}, {"after", *seen}}.dump();
  }
  return nlohmann::json{{"op", "follow"}, {"since", queue_.state().since()}}.dump();
}

bool ApiActions::on_line(std::string_view line) {
  const Result<> taken = take(line);
  line_problem_ = taken ? "" : base::one_line(taken.error().message());
  // At the next turn of the loop, so that lines that came together are synced together.
  timer_.arm(options_.clock->now());
  return taken.has_value();
}

Result<> ApiActions::take(std::string_view text) {
  ++counters_.lines;
  Result<JournalLine> line = read_journal_line(text);
  if (!line) {
    ++counters_.unreadable;
    return {};
  }
  if (line->kind == JournalLine::Kind::kSkipped) {
    ++counters_.skipped;
    options_.log->warn(
        "evictd dropped lines of its journal before they were read, "
        "continuing without their actions");
    return line->first == 0 ? Result<>() : pass_over(*line);
  }
  if (line->seq == 0 || line->seq <= queue_.seen().value_or(0)) {
    return {};
  }
  if (queue_.is_full()) {
    return fail(Errc::kExhausted, "the queue of actions is full, so that evictd's journal waits");
  }
  const TakenLine taken =
      plan(*line, queue_.state(),
           {.node = options_.node, .find_controller = options_.find_controller}, planned_);
  if (taken.controlled && queue_.state().loops().closes_loop(*taken.controlled)) {
    const Controller& controller = taken.controlled->controller;
    options_.log->warn(
        "evicted pods are recreated again and again: three within ten minutes",
        {{"kind", controller.kind}, {"namespace", controller.ns}, {"name", controller.name}});
  }
  return queue_.take(taken);
}

/// The line contains the current pressure, because the dropped lines may include a change.
Result<> ApiActions::pass_over(const JournalLine& skipped) {
  TakenLine taken = plan(skipped, queue_.state(), {.node = options_.node}, planned_);
  taken.seq = skipped.first - 1;
  return taken.pressure ? queue_.take(taken) : queue_.move_to(taken.seq);
}

Pressure ApiActions::wanted_pressure() const {
  Pressure wanted = options_.settings.mode == Mode::kOwn ? queue_.state().pressure() : Pressure();
  wanted.is_damped = options_.settings.damps_loops &&
                     queue_.state().loops().damped_until(options_.clock->wall_now()).has_value();
  return wanted;
}

MonoTime ApiActions::damping_end() const {
  const WallTime now = options_.clock->wall_now();
  const std::optional<WallTime> until = queue_.state().loops().damped_until(now);
  return options_.settings.damps_loops && until ? moment_after(options_.clock->now(), *until - now)
                                                : MonoTime::max();
}

void ApiActions::on_timer() {
  if (timer_.consume()) {
    drive();
  }
}

void ApiActions::drive() {
  const Result<> synced = queue_.sync();
  const MonoTime now = options_.clock->now();
  if (!synced) {
    file_problem_ = base::one_line(synced.error().message());
    timer_.arm(now + kDiskRetryDelay);
    return;
  }
  if (const std::optional<Ask> ask = next_ask(now)) {
    begin(*ask);
  }
  if (asker_ == Asker::kNobody) {
    timer_.arm(
        std::min({dispatcher_.due(), keeper_ ? keeper_->due() : MonoTime::max(), damping_end()}));
  }
}

/// One request at a time: the next one waits until this one is finished.
std::optional<Ask> ApiActions::next_ask(MonoTime now) {
  if (asker_ != Asker::kNobody) {
    return std::nullopt;
  }
  const WallTime wall = options_.clock->wall_now();
  std::optional<Ask> ask;
  if (keeper_) {
    keeper_->want(wanted_pressure(), now);
    ask = keeper_->tick(now, wall);
    asker_ = ask ? Asker::kKeeper : Asker::kNobody;
  }
  if (!ask) {
    ask = dispatcher_.tick(now, wall);
    asker_ = ask ? Asker::kDispatcher : Asker::kNobody;
  }
  return ask;
}

void ApiActions::begin(const Ask& ask) {
  const Result<> started = client_->start(ask, options_.find_access, counters_.credential_failures);
  if (!started) {
    on_end({.error = started.error()});
    return;
  }
  fault_point(FaultPoint::kAsked);
}

void ApiActions::on_end(const Answer& answer) {
  fault_point(FaultPoint::kAnswered);
  const MonoTime now = options_.clock->now();
  if (std::exchange(asker_, Asker::kNobody) == Asker::kKeeper) {
    keeper_->on_end(answer, now);
    timer_.arm(now);
    return;
  }
  const Result<> noted = dispatcher_.on_end(answer, now);
  file_problem_ = noted ? "" : base::one_line(noted.error().message());
  timer_.arm(noted ? now : now + kDiskRetryDelay);
}

const std::string& ApiActions::problem() const {
  for (const std::string* const problem : {&file_problem_, &line_problem_}) {
    if (!problem->empty()) {
      return *problem;
    }
  }
  const bool is_well = dispatcher_.problem().empty() && keeper_;
  return is_well ? keeper_->problem() : dispatcher_.problem();
}

OrderedJson ApiActions::node_status() const {
  if (!keeper_) {
    return nullptr;
  }
  const NodeKeeper::Counters& counters = keeper_->counters();
  return {{"taints", counters.taints},
          {"conditions", counters.conditions},
          {"conflicts", counters.conflicts},
          {"failures", counters.failures}};
}

/// The controllers that were in a loop, the most recently evicted last.
OrderedJson ApiActions::loop_status() const {
  OrderedJson controllers = OrderedJson::array();
  for (const EvictionLoops::Known& known : queue_.state().loops().controllers()) {
    if (known.loops == 0) {
      continue;
    }
    OrderedJson evictions = OrderedJson::array();
    for (const EvictionLoops::Eviction& eviction : known.evictions) {
      evictions.push_back({{"id", eviction.id},
                           {"uid", eviction.pod_uid},
                           {"time", exporting::rfc3339(eviction.at)}});
    }
    controllers.push_back({{"kind", known.controller.kind},
                           {"namespace", known.controller.ns},
                           {"name", known.controller.name},
                           {"uid", known.controller.uid},
                           {"loops", known.loops},
                           {"looped_at", exporting::rfc3339(known.looped_at)},
                           {"evictions", std::move(evictions)}});
  }
  const bool damps = options_.settings.damps_loops;
  const std::optional<WallTime> until =
      damps ? queue_.state().loops().damped_until(options_.clock->wall_now()) : std::nullopt;
  return {{"damping", damps ? "taint" : "none"},
          {"damped_until", until ? OrderedJson(exporting::rfc3339(*until)) : OrderedJson(nullptr)},
          {"controllers", std::move(controllers)}};
}

OrderedJson ApiActions::status() const {
  const DispatchCounters& counters = dispatcher_.counters();
  const std::optional<std::uint64_t> seen = queue_.seen();
  return {{"waiting", queue_.state().entries().size()},
          {"cursor", seen ? OrderedJson(*seen) : OrderedJson(nullptr)},
          {"problem", problem()},
          {"node", node_status()},
          {"loops", loop_status()},
          {"counters",
           {{"lines", counters_.lines},
            {"unreadable", counters_.unreadable},
            {"skipped", counters_.skipped},
            {"evictions", planned_.evictions},
            {"unnamed", planned_.unnamed},
            {"uncontrolled", planned_.uncontrolled},
            {"loops", planned_.loops},
            {"asked", counters.asked},
            {"done", counters.done},
            {"gone", counters.gone},
            {"rejected", counters.rejected},
            {"forbidden", counters.forbidden},
            {"budgets", counters.budgets},
            {"deletes", counters.deletes},
            {"failures", counters.failures},
            {"unavailable", counters.unavailable},
            {"credential_failures", counters_.credential_failures}}}};
}

}  // namespace evictd::kube
