// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_notify.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// Indexed by evictd_notify_signal.
constexpr std::array<std::string_view, EVICTD_NOTIFY_SIGNALS> kSignals = {
    "usage", "memsw", "working_set", "rate", "pids", "pressure", "oom"};

Json limits_json(const notify::UserLimits& limits) {
  return {{"connections", limits.connections},
          {"registrations", limits.registrations},
          {"oom_files", limits.oom_files}};
}

}  // namespace

nlohmann::ordered_json notify_json(const NotifyReport& report) {
  Json by_signal = Json::object();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    by_signal[std::string(kSignals.at(i))] = report.by_signal.at(i);
  }
  const notify::UserLimits others{.connections = report.limits.max_connections,
                                  .registrations = report.limits.max_registrations,
                                  .oom_files = report.limits.max_oom_files};
  return {{"socket", report.socket},
          {"serving", report.serving},
          {"problem", report.problem},
          {"failures", report.failures},
          {"stale", report.stale},
          {"backend",
           report.backend.empty() ? Json(nullptr) : Json(report.polling ? "polling" : "kernel")},
          {"watches_by", report.backend},
          {"polls_because", report.polls_because},
          {"no_pressure_because", report.no_pressure_because},
          {"connections", report.service.connections},
          {"registrations", report.engine.registrations},
          {"registrations_by_signal", by_signal},
          {"deliveries", report.engine.deliveries},
          {"owed", report.engine.owed},
          {"closed", report.engine.closed},
          {"removed", report.engine.removed},
          {"lost", report.engine.backend.dropped},
          {"resyncs", report.engine.backend.resyncs},
          {"lost_hints", report.engine.backend.lost_hints},
          {"refused", report.service.refused},
          {"expelled", report.service.expelled},
          {"unclosed", report.service.unclosed},
          {"held_back", report.service.held_back},
          {"put_off", report.service.put_off},
          {"limits",
           {{"user", limits_json(report.limits.user)},
            {"root", limits_json(report.limits.root)},
            {"all_but_root", limits_json(others)}}}};
}

}  // namespace evictd::daemon
