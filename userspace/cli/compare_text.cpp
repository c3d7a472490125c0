// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "base/json_text.h"
#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/refusal.h"
#include "evictd/try.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using exporting::ComparedEviction;
using exporting::Comparison;
using exporting::ComparisonSummary;
using exporting::Earlier;
using Json = nlohmann::ordered_json;
using Row = std::array<std::string, 6>;

/// Tasks and inodes are counts; everything else is in bytes.
std::string resource_amount(const std::string& resource, std::int64_t amount) {
  const bool counts = resource == "pids" || resource == "inodes";
  return counts ? std::to_string(amount) : bytes_text(static_cast<double>(amount));
}

std::string pod_of(const std::optional<ComparedEviction>& side) {
  return side ? base::one_line(side->ns + "/" + side->name) : "";
}

std::string usage_text(const std::optional<ComparedEviction>& side) {
  return side && side->usage ? resource_amount(side->resource, *side->usage) : "-";
}

std::string earlier_text(const Comparison& pair) {
  const Duration lead = exporting::lead_of(pair);
  switch (exporting::earlier_of(pair)) {
    case Earlier::kEvictd:
      return "evictd by " + duration_text(lead);
    case Earlier::kKubelet:
      return "kubelet by " + duration_text(-lead);
    case Earlier::kUnclear:
      return "same second";
  }
  return "";
}

Row row_of(const Comparison& comparison) {
  Row row;
  row[0] =
      exporting::rfc3339(comparison.time()).substr(0, std::string("2026-01-31T12:00:00").size());
  const bool is_same = comparison.is_same_pod();
  const std::string nobody = comparison.is_waiting ? "(waiting)" : "nobody";
  row[1] = comparison.evictd ? pod_of(comparison.evictd) : nobody;
  row[2] = comparison.kubelet ? (is_same ? "the same" : pod_of(comparison.kubelet)) : nobody;
  row[3] = comparison.is_pair() ? earlier_text(comparison) : "-";
  const std::optional<std::int64_t> more =
      comparison.is_pair() ? exporting::more_available(comparison) : std::nullopt;
  row[4] = more ? resource_amount(comparison.evictd->resource, *more) : "-";
  row[5] = usage_text(comparison.evictd) + " / " + usage_text(comparison.kubelet);
  return row;
}

void print_rows(const std::vector<Row>& rows, std::ostream& out) {
  std::array<std::size_t, 6> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

void print_summary(const ComparisonSummary& summary, std::ostream& out) {
  out << fmt::format(
      "the same pod {}, another pod {}, only evictd {}, only the kubelet {}, waiting {}\n",
      summary.same_pod, summary.other_pod, summary.evictd_only, summary.kubelet_only,
      summary.waiting);
  out << fmt::format("earlier: evictd {}, the kubelet {}, within the same second {}",
                     summary.evictd_earlier, summary.kubelet_earlier, summary.unclear);
  if (summary.median_lead) {
    out << "; evictd was earlier by " << duration_text(*summary.median_lead) << " (median)";
  }
  out << '\n';
}

Result<Comparison> read_one(const Json& json, const std::string& place) {
  Result<Comparison> read = exporting::comparison_from_json(json);
  return read ? read : Result<Comparison>(fail_in(place, read.error()));
}

}  // namespace

Result<std::vector<Comparison>> read_comparison_answer(std::string_view answer) {
  if (const std::string refusal = refusal_in(answer); !refusal.empty()) {
    return fail(Errc::kInvalid, "evictd-kube: " + refusal.substr(refusal.find(' ') + 1));
  }
  const Json json = base::parse_json<Json>(answer).value_or(Json());
  if (!json.is_object() || !json.contains("comparisons") || !json["comparisons"].is_array()) {
    return fail(Errc::kMalformed, "no answer to \"compare\"");
  }
  std::vector<Comparison> comparisons;
  for (const Json& one : json["comparisons"]) {
    EVICTD_ASSIGN_OR_RETURN(Comparison read, read_one(one, "the answer to \"compare\""));
    comparisons.push_back(std::move(read));
  }
  return comparisons;
}

Result<std::vector<Comparison>> read_comparison_lines(std::string_view text,
                                                      const std::string& name) {
  std::vector<Comparison> comparisons;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string place = name + ":" + std::to_string(++number);
    const Result<Json> json = base::parse_json<Json>(line);
    if (!json) {
      return fail_in(place, json.error());
    }
    // The first line has the moment up to which the comparison is complete.
    if (number == 1 && json->is_object() && json->value("kind", Json()) == "comparisons") {
      continue;
    }
    EVICTD_ASSIGN_OR_RETURN(Comparison read, read_one(*json, place));
    comparisons.push_back(std::move(read));
  }
  return comparisons;
}

void print_comparisons(const std::vector<Comparison>& comparisons, std::ostream& out) {
  if (comparisons.empty()) {
    out << "no pod was evicted yet\n";
    return;
  }
  std::vector<Row> rows{{"WHEN (UTC)", "EVICTD WOULD HAVE EVICTED", "THE KUBELET EVICTED",
                         "EARLIER", "MORE LEFT", "USED"}};
  for (const Comparison& comparison : comparisons) {
    rows.push_back(row_of(comparison));
  }
  print_rows(rows, out);
  print_summary(exporting::summary_of(comparisons), out);
}

}  // namespace evictd::cli
