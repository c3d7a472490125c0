// SPDX-License-Identifier: Apache-2.0
#include "export/comparison.h"

#include <algorithm>
#include <chrono>

namespace evictd::exporting {

namespace {

/// The median; the lower of two in the middle; nullopt for an empty list.
template <typename T>
std::optional<T> median(std::vector<T> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage";
}

void count_single(const Comparison& comparison, ComparisonSummary& summary) {
  if (comparison.is_waiting) {
    ++summary.waiting;
  } else if (comparison.evictd) {
    ++summary.evictd_only;
  } else {
    ++summary.kubelet_only;
  }
}

void count_pair(const Comparison& pair, ComparisonSummary& summary) {
  ++(pair.is_same_pod() ? summary.same_pod : summary.other_pod);
  switch (earlier_of(pair)) {
    case Earlier::kEvictd:
      ++summary.evictd_earlier;
      return;
    case Earlier::kKubelet:
      ++summary.kubelet_earlier;
      return;
    case Earlier::kUnclear:
      ++summary.unclear;
      return;
  }
}

}  // namespace

WallTime Comparison::time() const {
  if (evictd) {
    return evictd->time;
  }
  return kubelet ? kubelet->time : WallTime{};
}

Earlier earlier_of(const Comparison& pair) {
  const ComparedEviction& evictd = *pair.evictd;
  const ComparedEviction& kubelet = *pair.kubelet;
  if (evictd.time + evictd.precision < kubelet.time) {
    return Earlier::kEvictd;
  }
  return kubelet.time + kubelet.precision < evictd.time ? Earlier::kKubelet : Earlier::kUnclear;
}

Duration lead_of(const Comparison& pair) {
  return pair.kubelet->time - pair.evictd->time;
}

std::optional<std::int64_t> more_available(const Comparison& pair) {
  const ComparedEviction& evictd = *pair.evictd;
  const ComparedEviction& kubelet = *pair.kubelet;
  if (evictd.resource != kubelet.resource || !evictd.available || !kubelet.available) {
    return std::nullopt;
  }
  return *evictd.available - *kubelet.available;
}

std::string_view to_string(Earlier earlier) {
  switch (earlier) {
    case Earlier::kEvictd:
      return "evictd";
    case Earlier::kKubelet:
      return "kubelet";
    case Earlier::kUnclear:
      return "unclear";
  }
  return "";
}

ComparisonSummary summary_of(const std::vector<Comparison>& comparisons) {
  ComparisonSummary summary;
  std::vector<Duration> leads;
  std::vector<std::int64_t> amounts;
  for (const Comparison& comparison : comparisons) {
    if (!comparison.is_pair()) {
      count_single(comparison, summary);
      continue;
    }
    count_pair(comparison, summary);
    leads.push_back(lead_of(comparison));
    const std::optional<std::int64_t> amount = more_available(comparison);
    if (amount && is_in_bytes(comparison.evictd->resource)) {
      amounts.push_back(*amount);
    }
  }
  summary.median_lead = median(std::move(leads));
  summary.median_more_available = median(std::move(amounts));
  return summary;
}

}  // namespace evictd::exporting
