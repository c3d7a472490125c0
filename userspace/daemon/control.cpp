// SPDX-License-Identifier: Apache-2.0
// What the control socket answers: one JSON object a line in, one out.
#include <nlohmann/json.hpp>

#include "daemon/housekeeping.h"
#include "daemon/status.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

std::string error_line(const std::string& text) {
  return Json{{"error", text}}.dump();
}

/// Invalid UTF-8 (a cgroup may be named anything) must not end the daemon: it is replaced.
std::string to_line(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace

std::string Housekeeping::on_line(std::string_view request, const base::PeerCredentials& peer) {
  const Json parsed = Json::parse(request, nullptr, /*allow_exceptions=*/false);
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
    const Result<Json> done = change_wishes(op, parsed);
    return done ? to_line(*done) : error_line(done.error().message());
  }
  return error_line("unknown op \"" + op +
                    "\"; known: status, last_evictions, pause, resume, dry_run");
}

nlohmann::ordered_json Housekeeping::status() const {
  return make_status({.config = config_.get(),
                      .ladder = options_.ladder,
                      .probe = options_.probe,
                      .registry = options_.registry,
                      .filesystems = options_.filesystems,
                      .thresholds = &thresholds_,
                      .last_pass = last_pass_.get(),
                      .last_trigger = last_trigger_,
                      .last_pass_at = last_pass_at_,
                      .records = &records_,
                      .hot = options_.hot_counters,
                      .actuator = actuator_counters_,
                      .cross_checker = cross_checker_ ? &*cross_checker_ : nullptr,
                      .released_by_us = releaser_->released(),
                      .realtime = options_.realtime->load(),
                      .memory_locked = options_.memory_locked,
                      .descriptor_limit = options_.descriptor_limit,
                      .timer_stalled = timer_stalled_,
                      .state = keeper_.get(),
                      .wishes = wishes_,
                      .wall_now = options_.clock->wall_now(),
                      .started_at = started_at_},
                     options_.clock->now());
}

}  // namespace evictd::daemon
