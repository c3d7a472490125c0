// SPDX-License-Identifier: Apache-2.0
#include "cli/event_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/state_text.h"
#include "core/rfc3339.h"
#include "export/eviction_record.h"

namespace evictd::cli {

namespace {

using base::integer_at;
using base::is_true_at;
using base::member_at;
using Json = nlohmann::ordered_json;

std::string text_of(const Json& line, const char* key) {
  const Json& value = member_at(line, key);
  if (value.is_null()) {
    return "-";
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string amount_of(const Json& line, const char* key) {
  const std::optional<std::int64_t> amount = integer_at(line, key);
  return amount ? amount_text(text_of(line, "signal"), *amount) : std::string("-");
}

bool has_victim(const Json& line) {
  const std::string state = text_of(line, "state");
  return !state.empty() && state != "-";
}

std::string reason_text(const Json& line) {
  const std::string limit = text_of(line, "local_limit");
  if (!limit.empty() && limit != "-") {
    const Json& storage = member_at(line, "local_storage");
    return storage.is_object()
               ? fmt::format(": {} {} against {}", limit, amount_of(storage, "used_bytes"),
                             amount_of(storage, "limit_bytes"))
               : ": " + limit;
  }
  return text_of(line, "signal").empty()
             ? std::string()
             : fmt::format(": {} {} against {}", text_of(line, "signal"),
                           amount_of(line, "available"), text_of(line, "threshold"));
}

std::string decision_text(const Json& line) {
  const std::string seen = reason_text(line);
  if (!has_victim(line)) {
    const std::string reason = text_of(line, "hold_reason");
    return fmt::format("nobody evicted, {}{}{}", text_of(line, "outcome"),
                       reason.empty() || reason == "-" ? "" : " (" + reason + ")", seen);
  }
  const std::string outcome = text_of(line, "outcome");
  return fmt::format("{} pod {}, grace {} s (decision {}){}",
                     is_true_at(line, "dry_run") ? "dry run: would have " + outcome : outcome,
                     text_of(line, "pod"), text_of(line, "grace_seconds"), text_of(line, "id"),
                     seen);
}

std::string progress_text(const Json& line) {
  const std::string state = text_of(line, "state");
  const std::string pod = text_of(line, "pod");
  const std::string id = text_of(line, "id");
  const std::string why = text_of(line, "not_killed");
  const bool spared = !why.empty() && why != "-";
  if (is_true_at(line, "dry_run")) {
    return fmt::format("dry run: pod {} {} (decision {})", pod,
                       spared ? "would survive: " + exporting::not_killed_in_dry_run_text(why)
                              : dry_run_state_text(state),
                       id);
  }
  if (spared) {
    return fmt::format("pod {} survives: {} (decision {})", pod, exporting::not_killed_text(why),
                       id);
  }
  if (state == exporting::kStillCharged && line.contains("still_charged_bytes")) {
    const std::int64_t bytes = integer_at(line, "still_charged_bytes").value_or(0);
    return fmt::format("pod {}: {} (decision {})", pod, exporting::still_charged_text(bytes), id);
  }
  return fmt::format(
      "pod {} {} (decision {})", pod,
      state == "exceeded_grace" ? "is not gone in time: " + state_text(state) : "is " + state, id);
}

std::string daemon_text(const Json& line) {
  const std::string what = text_of(line, "what");
  return what == "started" ? fmt::format("evictd {} started, events from {}{}",
                                         text_of(line, "version"), text_of(line, "event_source"),
                                         is_true_at(line, "dry_run") ? ", dry run" : "")
                           : "evictd " + what;
}

std::string what_happened(const Json& line, const std::string& kind) {
  if (kind == "decision") {
    return decision_text(line);
  }
  if (kind == "progress") {
    return progress_text(line);
  }
  if (kind == "threshold") {
    return fmt::format("{} threshold {} of {} {}, {} of {} available", text_of(line, "hardness"),
                       text_of(line, "threshold"), text_of(line, "signal"),
                       is_true_at(line, "met") ? "met" : "no longer met",
                       amount_of(line, "available"), amount_of(line, "capacity"));
  }
  if (kind == "condition") {
    return fmt::format("node condition {} {}", text_of(line, "type"),
                       is_true_at(line, "status") ? "set" : "cleared");
  }
  if (kind == "oom_kill") {
    return fmt::format("the kernel's OOM killer was first: process {} ({}) of pod {}",
                       text_of(line, "pid"), text_of(line, "process"), text_of(line, "pod"));
  }
  if (kind == "stall") {
    return fmt::format("pod {} stalled on memory for {} us of {} us", text_of(line, "pod"),
                       text_of(line, "stalled_us"), text_of(line, "window_us"));
  }
  if (kind == "refused") {
    return fmt::format("pod {} could not be evicted: {}", text_of(line, "pod"),
                       text_of(line, "reason"));
  }
  if (kind == "degraded") {
    return is_true_at(line, "degraded")
               ? fmt::format("{}: {}", text_of(line, "what"), text_of(line, "text"))
               : fmt::format("{} has recovered", text_of(line, "what"));
  }
  if (kind == "gap") {
    const std::string lost = text_of(line, "lost");
    return lost + (lost == "1" ? " line is" : " lines are") + " missing here";
  }
  if (kind == "unknown_pod") {
    return fmt::format("no source of pods describes pod {}: it is not evicted",
                       text_of(line, "uid"));
  }
  if (kind == "skipped") {
    return fmt::format("lines after {} and before {} are no longer available",
                       text_of(line, "after"), text_of(line, "first"));
  }
  return kind == "daemon" ? daemon_text(line) : line.dump();
}

/// Whether a decision's line was written after its creation.
bool is_end_of_decision(const Json& line) {
  const std::string state = text_of(line, "state");
  return state == "released" || state == "exceeded_grace" || state == exporting::kStillCharged ||
         text_of(line, "escalated_by") != "-";
}

}  // namespace

std::string event_text(const Json& line) {
  const std::string kind = text_of(line, "kind");
  // It contains text from others: names of pods and processes, lines of a damaged file.
  return base::one_line(
      fmt::format("{:<27} {:<9} {}", text_of(line, "time"), kind, what_happened(line, kind)));
}

std::string event_words(const Json& line) {
  return what_happened(line, text_of(line, "kind"));
}

bool Repetitions::take(const Json& line) {
  if (text_of(line, "kind") != "decision") {
    return false;
  }
  const bool is_first = seen_.insert(text_of(line, "id")).second;
  if (!is_end_of_decision(line)) {
    return false;
  }
  const Result<WallTime> decided = core::wall_time_from_rfc3339(text_of(line, "time"));
  return !is_first || (decided && *decided < since_);
}

}  // namespace evictd::cli
