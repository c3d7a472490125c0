// SPDX-License-Identifier: Apache-2.0
// The signals sent and their effect. For a dry run no text may claim that a signal was sent.
#include "cli/explain_signal.h"

#include <fmt/format.h>

#include <string_view>

#include "cli/amount_text.h"
#include "cli/state_text.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using exporting::EvictionRecord;

std::string sent_text(const EvictionRecord& record) {
  if (record.grace_seconds == 0) {
    return fmt::format("SIGKILL at once, by {}, to {} processes", record.method, record.processes);
  }
  if (record.outcome == "escalated") {
    return fmt::format("From then on it had {} s to SIGKILL", record.grace_seconds);
  }
  return fmt::format("SIGTERM to {} processes by {}, with {} s to SIGKILL", record.processes,
                     record.method, record.grace_seconds);
}

/// What the kernel side did before; empty if nothing.
std::string kernel_kill_text(const EvictionRecord& record) {
  if (!record.kernel_kill) {
    return {};
  }
  std::string text = "; the kernel side had killed first (";
  std::string_view between;
  for (const exporting::RecordedAnswer& answer : record.kernel_kill->answers) {
    text +=
        fmt::format("{}{} times {}", between, answer.count,
                    answer.code == 0 ? std::string("sent") : fmt::format("error {}", -answer.code));
    between = ", ";
  }
  return text + ")";
}

std::string unsent_text(const EvictionRecord& record) {
  if (record.grace_seconds == 0) {
    return "Nothing was sent: it would have been SIGKILL at once";
  }
  if (record.outcome == "escalated") {
    return fmt::format("Nothing was sent: it would have had {} s to SIGKILL from then on",
                       record.grace_seconds);
  }
  return fmt::format("Nothing was sent: it would have been SIGTERM, with {} s to SIGKILL",
                     record.grace_seconds);
}

/// The part of the grace that was used, if any.
std::string use_text(const EvictionRecord& record) {
  const std::optional<Duration> used = exporting::grace_used(record.timeline);
  if (!used) {
    return {};
  }
  if (record.outcome == "escalated") {
    return fmt::format("; {} of its grace were used, since SIGTERM", duration_text(*used));
  }
  return record.grace_seconds == 0 ? std::string()
                                   : fmt::format("; {} of them were used", duration_text(*used));
}

std::string dry_run_text(const EvictionRecord& record) {
  std::string text = unsent_text(record);
  if (record.escalated_by) {
    text += fmt::format("; decision {} would have cut what was left of them", *record.escalated_by);
  }
  if (!record.not_killed.empty()) {
    return fmt::format("{}; {}.", text, exporting::not_killed_in_dry_run_text(record.not_killed));
  }
  return fmt::format("{}; it {}.", text, dry_run_state_text(record.state));
}

}  // namespace

std::string how_text(const EvictionRecord& record) {
  if (record.dry_run) {
    return dry_run_text(record);
  }
  std::string text = sent_text(record) + kernel_kill_text(record) + use_text(record);
  if (record.bridge) {
    text += "; " + exporting::bridge_text(*record.bridge);
  }
  if (record.escalated_by) {
    text += fmt::format("; decision {} cut what was left of them", *record.escalated_by);
  }
  if (!record.not_killed.empty()) {
    return fmt::format("{}; {}.", text, exporting::not_killed_text(record.not_killed));
  }
  if (record.still_charged_bytes) {
    return fmt::format("{}; {}.", text, exporting::still_charged_text(*record.still_charged_bytes));
  }
  text += fmt::format("; now {}", state_text(record.state));
  if (record.remaining_bytes) {
    text += fmt::format(", {} remain charged",
                        bytes_text(static_cast<double>(*record.remaining_bytes)));
  }
  if (record.unreaped_tasks.value_or(0) > 0) {
    text += fmt::format(", {} tasks were dead and not reaped", *record.unreaped_tasks);
  }
  return text + ".";
}

std::string cut_text(const EvictionRecord& cut) {
  const std::string_view of = cut.local_limit.empty() ? cut.signal : cut.local_limit;
  const std::string_view real = cut.outcome == "escalated" ? "had cut its grace" : "had evicted it";
  const std::string_view dry =
      cut.outcome == "escalated" ? "would have cut its grace" : "would have evicted it";
  return fmt::format("Before, decision {} at {} {}{}{}, with {} s to SIGKILL.", cut.id,
                     exporting::rfc3339(cut.at), cut.dry_run ? dry : real,
                     of.empty() ? "" : " because of ", of, cut.grace_seconds);
}

std::vector<std::pair<std::string, std::optional<MonoTime>>> moments_of(
    const EvictionRecord& record) {
  const exporting::RecordedTimeline& line = record.timeline;
  const bool dry = record.dry_run;
  const bool cut = line.grace_began.has_value();
  const char* const signalled = dry ? "signal would have been sent" : "signal sent";
  const char* const shortened = dry ? "grace would have been cut" : "grace cut";
  return {{dry ? "SIGTERM would have been sent, which begins the grace"
               : "SIGTERM sent, which began the grace",
           line.grace_began},
          {"threshold crossed (kernel)", line.hook},
          {"evictd awake", line.wake},
          {"pass began", line.begin},
          {"readings there", line.observe},
          {"decided", line.decide},
          {cut ? shortened : signalled, line.signal},
          {dry ? "SIGKILL would have been sent" : "SIGKILL sent", line.killed},
          {dry ? "counts as gone" : "last process gone", line.exited},
          {dry ? "its memory counts as free" : "memory free", line.freed}};
}

}  // namespace evictd::cli
