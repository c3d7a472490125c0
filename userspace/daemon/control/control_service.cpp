// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/control_service.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/rfc3339.h"
#include "daemon/control/request.h"
#include "daemon/control/status.h"
#include "daemon/records/json_line.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// "since" of a request; the beginning of time if absent.
Result<WallTime> moment_in(const Json& request) {
  const auto since = request.find("since");
  if (since == request.end()) {
    return WallTime{};
  }
  return since->is_string() ? core::wall_time_from_rfc3339(since->get<std::string>())
                            : Result<WallTime>(fail(Errc::kMalformed, "\"since\" is not a string"));
}

std::string with_line_ends(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + '\n';
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<ControlService>> ControlService::create(
    const ServiceContext& context, const Services& services, base::EventLoop& loop,
    std::function<void()> exchange_messages) {
  std::unique_ptr<ControlService> service(
      new ControlService(context, services, std::move(exchange_messages)));
  Result<std::unique_ptr<base::LineServer>> server = base::LineServer::create(
      control_socket(context.settings().control_socket_path()), loop, *context.clock, *service);
  if (!server) {
    return fail_in("open the control socket", server.error());
  }
  service->server_ = std::move(*server);
  return service;
}

std::string ControlService::on_line(std::string_view request, const base::PeerCredentials& peer) {
  const Json parsed = parse_request(request);
  if (!parsed.is_object() || !parsed.contains("op") || !parsed["op"].is_string()) {
    return error_line("a request is one JSON object with \"op\"");
  }
  const auto op = parsed["op"].get<std::string>();
  if (op == "status") {
    return to_line(status());
  }
  if (op == "last_evictions") {
    Json evictions = Json::array();
    for (const exporting::EvictionRecord& record : services_.records.store().latest()) {
      evictions.push_back(exporting::to_json(record));
    }
    return to_line(evictions);
  }
  if (op == "pause" || op == "resume" || op == "dry_run") {
    if (peer.uid != 0) {
      return error_line(op + " is for root alone");
    }
    if (const Result<> known = expect_known_members(op, parsed); !known) {
      return error_line(known.error().message());
    }
    const Result<Json> done = change_wishes(op, parsed);
    return done ? to_line(*done) : error_line(done.error().message());
  }
  if (op == "records") {
    return to_line(all_records());
  }
  if (op == "events") {
    const Result<WallTime> since = moment_in(parsed);
    return since ? events_since(*since) : error_line(since.error().message());
  }
  return error_line("unknown op \"" + op +
                    "\"; known: status, last_evictions, records, events, follow, pause, "
                    "resume, dry_run");
}

std::optional<std::string> ControlService::on_subscription(std::string_view request) {
  const Json parsed = parse_request(request);
  if (!parsed.is_object() || !parsed.contains("op") || parsed["op"] != "follow") {
    return std::nullopt;
  }
  if (parsed.contains("after")) {
    return parsed.contains("since")
               ? error_line("\"since\" and \"after\" exclude each other") + '\n'
               : lines_after(parsed["after"]);
  }
  if (!parsed.contains("since")) {
    return std::string();
  }
  const Result<WallTime> since = moment_in(parsed);
  if (!since) {
    return error_line(since.error().message()) + '\n';
  }
  return with_line_ends(services_.records.journal().lines_since(*since));
}

/// The lines after a cursor; a client that missed lines gets a notice first.
std::string ControlService::lines_after(const Json& cursor) const {
  if (!cursor.is_number_unsigned()) {
    return error_line("\"after\" is not the \"seq\" of a line") + '\n';
  }
  const auto seq = cursor.get<std::uint64_t>();
  const Journal::LinesAfter after = services_.records.journal().lines_after(seq);
  Json conditions = Json::object();
  for (const eviction::Condition condition : eviction::kConditions) {
    conditions[std::string(eviction::to_string(condition))] =
        services_.records.conditions().has(condition);
  }
  const Json skipped = {{"schema", exporting::kRecordSchema},
                        {"kind", "skipped"},
                        {"after", seq},
                        {"first", after.first},
                        {"conditions", std::move(conditions)}};
  return (after.complete ? "" : to_line(skipped) + '\n') + with_line_ends(after.lines);
}

/// Logs only the first one: a flood of clients would fill the log.
void ControlService::on_turned_away() {
  if (server_->counters().refused == 1) {
    context_.log->warn(
        "the control socket refused a connection, because its maximum number of connections is "
        "open, continuing without it: later refusals are only counted "
        "(counters.control_socket.refused)");
  }
}

std::string ControlService::events_since(WallTime since) const {
  const Json file = services_.records.journal().file().empty()
                        ? Json(nullptr)
                        : Json(services_.records.journal().file());
  std::string answer = R"({"schema":)" + std::to_string(exporting::kRecordSchema) + R"(,"file":)" +
                       to_line(file) + R"(,"events":[)";
  bool first = true;
  for (const std::string& line : services_.records.journal().lines_since(since)) {
    answer += (first ? "" : ",") + line;
    first = false;
  }
  return answer + "]}";
}

nlohmann::ordered_json ControlService::all_records() const {
  std::vector<Json> records;
  for (const exporting::EvictionRecord& record : services_.records.store().latest()) {
    records.push_back(exporting::to_json(record));
  }
  for (const exporting::EvictionRecord& record : services_.records.store().passes()) {
    records.push_back(exporting::to_json(record));
  }
  std::sort(records.begin(), records.end(), [](const Json& a, const Json& b) {
    return a["id"].get<std::uint64_t>() < b["id"].get<std::uint64_t>();
  });
  return {{"schema", exporting::kRecordSchema},
          {"file", services_.records.journal().file().empty()
                       ? Json(nullptr)
                       : Json(services_.records.journal().file())},
          {"records", std::move(records)}};
}

void ControlService::check() {
  if (context_.probe != nullptr) {
    node_growth_.see(context_.probe->node());
  }
}

nlohmann::ordered_json ControlService::status() const {
  const RecordsService& records = services_.records;
  const RecordsService::LastPass& pass = records.last_pass();
  return make_status({.config = context_.config.get(),
                      .ladder = context_.ladder,
                      .probe = context_.probe,
                      .node_growth = &node_growth_,
                      .notify = context_.notify,
                      .registry = context_.registry,
                      .filesystems = context_.filesystems,
                      .storage = &services_.storage,
                      .thresholds = &records.rules_of(records.generation()).thresholds,
                      .config_generation = records.generation(),
                      .last_pass = pass.copy.get(),
                      .last_trigger = pass.trigger,
                      .last_pass_at = pass.at,
                      .records = &records.store(),
                      .journal = &records.journal(),
                      .recorder = records.recorder(),
                      .control_socket = &server_->counters(),
                      .hot = context_.hot_counters,
                      .actuator = records.actuator(),
                      .cross_checker = services_.pods.row_keeper().cross_checker(),
                      .reclaimed = services_.releaser.reclaimed(),
                      .released_by_us = services_.releaser.released(),
                      .not_released_by_us = services_.releaser.not_released(),
                      .realtime = context_.priority->ask(),
                      .realtime_losses = services_.health.realtime_losses(),
                      .memory_locked = context_.memory_locked,
                      .growth = context_.growth,
                      .descriptor_limit = context_.descriptor_limit,
                      .timer_stalled = services_.health.timer_stalled(),
                      .state = &services_.state.keeper(),
                      .wishes = services_.state.wishes(),
                      .wall_now = context_.clock->wall_now(),
                      .started_at = started_at_},
                     context_.clock->now());
}

}  // namespace evictd::daemon
