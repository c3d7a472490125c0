// SPDX-License-Identifier: Apache-2.0
// What the control socket answers: one JSON object a line in, one out.
#include <nlohmann/json.hpp>

#include "core/rfc3339.h"
#include "daemon/control/request.h"
#include "daemon/control/status.h"
#include "daemon/housekeeping.h"
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

std::string Housekeeping::on_line(std::string_view request, const base::PeerCredentials& peer) {
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
    for (const exporting::EvictionRecord& record : records_.latest()) {
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

std::optional<std::string> Housekeeping::on_subscription(std::string_view request) {
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
  return with_line_ends(journal_->lines_since(*since));
}

/// The lines after a cursor; a client that missed lines gets a notice first.
std::string Housekeeping::lines_after(const Json& cursor) const {
  if (!cursor.is_number_unsigned()) {
    return error_line("\"after\" is not the \"seq\" of a line") + '\n';
  }
  const auto seq = cursor.get<std::uint64_t>();
  const Journal::LinesAfter after = journal_->lines_after(seq);
  Json conditions = Json::object();
  for (const eviction::Condition condition : eviction::kConditions) {
    conditions[std::string(eviction::to_string(condition))] = conditions_.has(condition);
  }
  const Json skipped = {{"schema", exporting::kRecordSchema},
                        {"kind", "skipped"},
                        {"after", seq},
                        {"first", after.first},
                        {"conditions", std::move(conditions)}};
  return (after.complete ? "" : to_line(skipped) + '\n') + with_line_ends(after.lines);
}

/// Logs only the first one: a flood of clients would fill the log.
void Housekeeping::on_turned_away() {
  if (server_->counters().refused == 1) {
    options_.log->warn(
        "the control socket refused a connection, because its maximum number of connections is "
        "open, continuing without it: later refusals are only counted "
        "(counters.control_socket.refused)");
  }
}

std::string Housekeeping::events_since(WallTime since) const {
  const Json file = journal_->file().empty() ? Json(nullptr) : Json(journal_->file());
  std::string answer = R"({"schema":)" + std::to_string(exporting::kRecordSchema) + R"(,"file":)" +
                       to_line(file) + R"(,"events":[)";
  bool first = true;
  for (const std::string& line : journal_->lines_since(since)) {
    answer += (first ? "" : ",") + line;
    first = false;
  }
  return answer + "]}";
}

nlohmann::ordered_json Housekeeping::status() const {
  return make_status({.config = config_.get(),
                      .ladder = options_.ladder,
                      .probe = options_.probe,
                      .notify = options_.notify,
                      .registry = options_.registry,
                      .filesystems = options_.filesystems,
                      .storage = storage_.get(),
                      .thresholds = &rules_.of(config_generation_).thresholds,
                      .config_generation = config_generation_,
                      .last_pass = last_pass_.get(),
                      .last_trigger = last_trigger_,
                      .last_pass_at = last_pass_at_,
                      .records = &records_,
                      .journal = &*journal_,
                      .recorder = recorder_ ? &*recorder_ : nullptr,
                      .control_socket = &server_->counters(),
                      .hot = options_.hot_counters,
                      .actuator = actuator_counters_,
                      .cross_checker = row_keeper_->cross_checker(),
                      .reclaimed = releaser_->reclaimed(),
                      .released_by_us = releaser_->released(),
                      .not_released_by_us = releaser_->not_released(),
                      .realtime = options_.priority->ask(),
                      .realtime_losses = priority_watch_->losses(),
                      .memory_locked = options_.memory_locked,
                      .growth = options_.growth,
                      .descriptor_limit = options_.descriptor_limit,
                      .timer_stalled = timer_watch_.stalled(),
                      .state = keeper_.get(),
                      .wishes = wishes_,
                      .wall_now = options_.clock->wall_now(),
                      .started_at = started_at_},
                     options_.clock->now());
}

}  // namespace evictd::daemon
