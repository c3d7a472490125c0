// SPDX-License-Identifier: Apache-2.0
// Prints the story of a decision and its tables on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/explain_signal.h"
#include "cli/explain_text.h"
#include "cli/pod_text.h"

namespace evictd::cli {

namespace {

using exporting::EvictionRecord;
using exporting::RecordedCandidate;
using exporting::RecordedLocalCandidate;
using exporting::RecordedThreshold;

void print_timeline(const EvictionRecord& record, std::ostream& out) {
  const auto moments = moments_of(record);
  std::optional<MonoTime> first;
  for (const auto& [name, moment] : moments) {
    if (moment && (!first || *moment < *first)) {
      first = moment;
    }
  }
  out << "\nTIME LINE\n";
  for (const auto& [name, moment] : moments) {
    if (moment) {
      out << fmt::format("{:>14}  {}\n", "+" + duration_text(*moment - *first), name);
    }
  }
}

void print_thresholds(const EvictionRecord& record, std::ostream& out) {
  constexpr const char* kRow = "{:<28} {:>12} {:>7} {:>11} {:>11} {:>11}  {}";
  out << '\n'
      << fmt::format(kRow, "SIGNAL", "THRESHOLD", "GRACE", "MET BELOW", "AVAILABLE", "CAPACITY",
                     "STOOD")
      << '\n';
  const auto amount = [](const std::string& signal, const std::optional<std::int64_t>& number) {
    return number ? amount_text(signal, *number) : std::string("-");
  };
  for (const RecordedThreshold& one : record.thresholds) {
    out << base::one_line(
               fmt::format(kRow, one.signal, one.threshold, grace_text(one.grace_period_ms),
                           amount(one.signal, one.met_below), amount(one.signal, one.available),
                           amount(one.signal, one.capacity), one.stood))
        << '\n';
  }
}

void print_ranking(const EvictionRecord& record, std::ostream& out) {
  constexpr const char* kRow = "{:>5} {:<44} {:<11} {:>11} {:>10} {:>10} {:>12}  {}";
  out << '\n'
      << fmt::format(kRow, "PLACE", "POD", "QOS", "PRIORITY", "USAGE", "REQUEST", "ABOVE REQ.",
                     "REASON")
      << '\n';
  for (const RecordedCandidate& one : record.ranking) {
    out << base::one_line(fmt::format(kRow, one.place == 0 ? "-" : std::to_string(one.place),
                                      pod_text(one.ns, one.name, one.uid), one.qos, one.priority,
                                      amount_text(record.signal, one.usage),
                                      amount_text(record.signal, one.request),
                                      amount_text(record.signal, one.keys.amount), one.reason))
        << '\n';
  }
}

void print_local_candidates(const EvictionRecord& record, std::ostream& out) {
  constexpr const char* kRow = "{:<44} {:<28} {:>9} {:>9}  {}";
  out << '\n' << fmt::format(kRow, "POD", "LOCAL LIMIT", "USED", "OF", "REASON") << '\n';
  const auto bytes = [](std::int64_t amount) { return bytes_text(static_cast<double>(amount)); };
  for (const RecordedLocalCandidate& one : record.local_candidates) {
    out << base::one_line(fmt::format(kRow, pod_text(one.ns, one.name, one.uid),
                                      one.local_limit.empty() ? "-" : one.local_limit,
                                      one.storage ? bytes(one.storage->used_bytes) : "-",
                                      one.storage ? bytes(one.storage->limit_bytes) : "-",
                                      one.reason))
        << '\n';
  }
}

}  // namespace

void print_answer(const Answer& answer, std::ostream& out) {
  for (const std::string& sentence : story_of(answer)) {
    out << base::one_line(sentence) << '\n';
  }
  if (answer.record->has_victim()) {
    print_timeline(*answer.record, out);
  }
  if (!answer.record->thresholds.empty()) {
    print_thresholds(*answer.record, out);
  }
  if (!answer.record->ranking.empty()) {
    print_ranking(*answer.record, out);
  }
  if (!answer.record->local_candidates.empty()) {
    print_local_candidates(*answer.record, out);
  }
}

}  // namespace evictd::cli
