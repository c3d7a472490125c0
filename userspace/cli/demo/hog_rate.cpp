// SPDX-License-Identifier: Apache-2.0
#include "demo/hog_rate.h"

#include <algorithm>

namespace evictd::demo {
namespace {

constexpr std::size_t kParts = 16;

}  // namespace

double typical_rate(const std::vector<load::LoadStamp>& batches) {
  const std::size_t batches_a_part = std::max<std::size_t>(1, batches.size() / kParts);
  std::vector<double> rates;
  for (std::size_t end = batches_a_part; end < batches.size(); end += batches_a_part) {
    const load::LoadStamp& first = batches[end - batches_a_part];
    const load::LoadStamp& last = batches[end];
    if (last.end_ns > first.end_ns) {
      rates.push_back(static_cast<double>(last.total - first.total) * 1e9 /
                      static_cast<double>(last.end_ns - first.end_ns));
    }
  }
  if (rates.empty()) {
    return 0;
  }
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

double rate_with_room(double wished, double possible) {
  return std::min(wished, possible / 2);
}

std::vector<load::LoadStamp> batches_of(const load::StampLog& log) {
  std::vector<load::LoadStamp> batches;
  for (std::uint64_t n = log.first_kept(); n < log.count(); ++n) {
    if (const std::optional<load::LoadStamp> batch = log.at(n); batch) {
      batches.push_back(*batch);
    }
  }
  return batches;
}

}  // namespace evictd::demo
