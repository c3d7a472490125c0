// SPDX-License-Identifier: Apache-2.0
#include "kube/bridge.h"

#include <sys/signalfd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "evictd/try.h"
#include "kube/status.h"

namespace evictd::kube {

Result<> Bridge::run() {
  options_.log->info("started", {{"version", options_.version},
                                 {"node", node_},
                                 {"manifest_directory", options_.settings.manifest_directory}});
  while (!is_stopping_) {
    drive();
    log_problems();
    EVICTD_TRY(loop_.run_once());
  }
  return {};
}

void Bridge::drive() {
  MonoTime now = options_.clock->now();
  if (source_->must_cancel(now)) {
    client_->cancel("cancelled");
    now = options_.clock->now();
  }
  if (const std::optional<Ask> ask = source_->tick(now)) {
    if (const Result<> started = client_->start(*ask, find_access_, credential_failures_);
        !started) {
      source_->on_end({.error = started.error()}, options_.clock->now());
    }
  }
  timer_.arm(source_->due());
}

void Bridge::on_head(int status) {
  source_->on_head(status, options_.clock->now());
}

bool Bridge::on_data(std::string_view piece) {
  return source_->on_data(piece, options_.clock->now());
}

void Bridge::on_end(const Answer& answer) {
  source_->on_end(answer, options_.clock->now());
}

void Bridge::on_timer() {
  timer_.consume();
}

void Bridge::on_signal() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    is_stopping_ = true;
  }
  options_.log->info("stopping");
}

/// Logs each problem once, and its end once.
void Bridge::tell(const Telling& telling, const std::string& problem) {
  std::string& told = told_[telling.what];
  if (problem.empty() == told.empty()) {
    return;
  }
  told = problem;
  if (problem.empty()) {
    options_.log->info(std::string(telling.what) + ": recovered");
  } else {
    options_.log->warn(std::string(telling.what) + ": " + problem + ", continuing " +
                       std::string(telling.meanwhile));
  }
}

/// A line that the queue refuses now comes again; the runtime link recognizes the repetition.
bool Bridge::on_journal_line(std::string_view line) {
  if (observer_) {
    observer_->on_line(line);
  }
  if (runtime_) {
    runtime_->on_line(line);
  }
  return !actions_ || actions_->on_line(line);
}

void Bridge::log_problems() {
  constexpr std::string_view kAsKnown = "with the pods as they were last known";
  tell({"the source of pods", kAsKnown}, source_->problem());
  tell({"a manifest", kAsKnown}, directory_->problem());
  if (follower_) {
    tell({"evictd's control socket", kAsKnown}, follower_->problem());
  }
  if (actions_) {
    tell({"the actions for evictions", "and retrying"}, actions_->problem());
  }
  if (observer_) {
    tell({"the comparison with the kubelet", "with what is known"}, observer_->problem());
  }
  if (evicted_events_) {
    tell({"the kubelet's events", "with the pods' status alone"}, evicted_events_->problem());
  }
  if (runtime_) {
    tell({"the container runtime", "without stopping sandboxes until it answers"},
         runtime_->problem());
    tell({"the container runtime's events", "by polling it"}, runtime_->events_problem());
    tell({"the links to the container runtime's directories", "with the existing links"},
         runtime_->places_problem());
  }
}

std::string Bridge::on_line(std::string_view request, const base::PeerCredentials& /*peer*/) {
  const Result<nlohmann::json> read =
      base::parse_json<nlohmann::json>(request, {.depth = 2, .members = 8});
  const bool is_request = read && read->is_object() && read->contains("op");
  const nlohmann::json op = is_request ? (*read)["op"] : nlohmann::json();
  return answer_to(op.is_string() ? op.get<std::string>() : std::string());
}

std::string Bridge::answer_to(const std::string& op) const {
  if (op == "compare") {
    return observer_ ? observer_->comparisons().dump()
                     : R"({"error":"nothing is compared: mode is not observe"})";
  }
  if (op != "status") {
    return R"({"error":"a request is {\"op\":\"status\"} or {\"op\":\"compare\"}"})";
  }
  return make_kube_status({.version = options_.version,
                           .node = node_,
                           .settings = &options_.settings,
                           .source = &*source_,
                           .directory = &*directory_,
                           .follower = follower_.get(),
                           .runtime = runtime_.get(),
                           .actions = actions_.get(),
                           .observer = observer_.get(),
                           .events = evicted_events_.get(),
                           .credential_failures = credential_failures_,
                           .started_at = started_at_},
                          options_.clock->now())
      .dump();
}

}  // namespace evictd::kube
