// SPDX-License-Identifier: Apache-2.0
#include "eviction/threshold_table.h"

#include <algorithm>
#include <numeric>

namespace evictd::eviction {
namespace {

int group_of(Signal signal) {
  switch (resource_of(signal)) {
    case Resource::kMemory:
      return 0;
    case Resource::kPids:
      return 1;
    case Resource::kEphemeralStorage:
    case Resource::kInodes:
      return 2;
    case Resource::kNone:
      return 3;
  }
  return 3;
}

/// The order in which we act: memory, pids, disk, unknown; hard before soft; signal name; the
/// larger value first, amounts before shares.
bool goes_before(const Threshold& a, const Threshold& b) {
  if (group_of(a.signal) != group_of(b.signal)) {
    return group_of(a.signal) < group_of(b.signal);
  }
  if (a.is_hard() != b.is_hard()) {
    return a.is_hard();
  }
  if (a.signal != b.signal) {
    return a.signal < b.signal;
  }
  const bool a_is_amount = a.value.quantity.has_value();
  if (a_is_amount != b.value.quantity.has_value()) {
    return a_is_amount;
  }
  return a_is_amount ? *a.value.quantity > *b.value.quantity
                     : a.value.percentage > b.value.percentage;
}

}  // namespace

bool ThresholdList::has(std::size_t index) const {
  return std::find(begin(), end(), index) != end();
}

bool ThresholdList::operator==(const ThresholdList& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

Result<ThresholdTable> ThresholdTable::create(std::vector<Threshold> thresholds) {
  if (thresholds.size() > kMaxThresholds) {
    return fail(Errc::kInvalid, std::to_string(thresholds.size()) + " thresholds, at most " +
                                    std::to_string(kMaxThresholds) + " are allowed");
  }
  ThresholdTable table;
  table.thresholds_ = std::move(thresholds);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table.places_.add(i);
    table.add_limits(table.thresholds_[i]);
    const auto first = std::find_if(
        table.thresholds_.begin(), table.thresholds_.end(),
        [&](const Threshold& other) { return same_threshold(table.thresholds_[i], other); });
    // Only a NaN share is not even the same as itself.
    const auto found = static_cast<std::size_t>(first - table.thresholds_.begin());
    table.kind_.push_back(static_cast<std::uint8_t>(std::min(found, i)));
  }
  table.sort_order();
  return table;
}

void ThresholdTable::add_limits(const Threshold& threshold) {
  const ThresholdValue& value = threshold.value;
  Limits limits;
  if (value.quantity) {
    limits.whole = value.quantity->ceiling();
  } else {
    limits.share = value.percentage;
  }
  limits.whole_with_reclaim = limits.whole;
  if (threshold.min_reclaim) {
    const ThresholdValue& reclaim = *threshold.min_reclaim;
    if (!reclaim.quantity) {
      limits.reclaim_share = reclaim.percentage;
    } else {
      limits.whole_with_reclaim = value.quantity ? (*value.quantity + *reclaim.quantity).ceiling()
                                                 : reclaim.quantity->ceiling();
    }
  }
  limits_.push_back(limits);
}

void ThresholdTable::sort_order() {
  std::vector<std::uint8_t> sorted(size());
  std::iota(sorted.begin(), sorted.end(), std::uint8_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [this](std::uint8_t a, std::uint8_t b) {
    return goes_before(thresholds_[a], thresholds_[b]);
  });
  order_.resize(size());
  for (std::size_t place = 0; place < sorted.size(); ++place) {
    order_[sorted[place]] = static_cast<std::uint8_t>(place);
  }
}

Wide ThresholdTable::limit(std::size_t index, std::int64_t capacity, MinReclaim min_reclaim) const {
  const Limits& limits = limits_[index];
  const Wide share = limits.share ? Wide{share_of(capacity, *limits.share)} : Wide{0};
  if (min_reclaim == MinReclaim::kIgnored) {
    return limits.whole + share;
  }
  const Wide reclaim =
      limits.reclaim_share ? Wide{share_of(capacity, *limits.reclaim_share)} : Wide{0};
  return limits.whole_with_reclaim + share + reclaim;
}

bool ThresholdTable::met(std::size_t index, const Observation& observation,
                         MinReclaim min_reclaim) const {
  return thresholds_[index].op == ThresholdOperator::kLessThan &&
         Wide{observation.available} < limit(index, observation.capacity, min_reclaim);
}

}  // namespace evictd::eviction
