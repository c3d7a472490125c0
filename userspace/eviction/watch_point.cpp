// SPDX-License-Identifier: Apache-2.0
#include "eviction/watch_point.h"

#include <algorithm>
#include <limits>

#include "eviction/amounts.h"

namespace evictd::eviction {
namespace {

std::int64_t cut(Wide amount) {
  constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(amount, kLeast, kMost));
}

}  // namespace

std::optional<std::int64_t> use_at_crossing(const Threshold& threshold, std::int64_t capacity) {
  const bool countable = is_memory(threshold.signal) || threshold.signal == Signal::kPidAvailable;
  if (!countable || threshold.op != ThresholdOperator::kLessThan) {
    return std::nullopt;
  }
  // Met while available < limit, that is from capacity - use = limit - 1 on.
  const Wide limit = quantity_of(threshold.value, capacity).ceiling();
  return cut(Wide{capacity} - limit + 1);
}

std::optional<Bytes> usage_at_crossing(const Threshold& threshold, Bytes capacity,
                                       Bytes inactive_file) {
  if (!is_memory(threshold.signal)) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> working_set = use_at_crossing(threshold, capacity.value);
  if (!working_set) {
    return std::nullopt;
  }
  return Bytes{cut(Wide{*working_set} + inactive_file.value)};
}

std::string_view to_string(NotifierProblem problem) {
  switch (problem) {
    case NotifierProblem::kMissingSystemContainer:
      return "missing-system-container";
    case NotifierProblem::kIncomplete:
      return "incomplete";
  }
  return "";
}

std::string notifier_description(const Threshold& threshold) {
  std::string text = threshold.is_hard() ? "hard " : "soft ";
  if (threshold.signal == Signal::kAllocatableMemoryAvailable) {
    text += "allocatable ";
  }
  return text + "memory eviction threshold";
}

tl::expected<MemcgNotifier, NotifierProblem> memcg_notifier(const Threshold& threshold,
                                                            const NodeStatistics& statistics) {
  const bool allocatable = threshold.signal == Signal::kAllocatableMemoryAvailable;
  if (allocatable && !statistics.has_pods_container) {
    return tl::unexpected(NotifierProblem::kMissingSystemContainer);
  }
  const std::optional<MemoryStatistics>& memory =
      allocatable ? statistics.pods_memory : statistics.memory;
  if (!memory || !memory->usage_bytes || !memory->working_set_bytes || !memory->available_bytes) {
    return tl::unexpected(NotifierProblem::kIncomplete);
  }
  const Quantity capacity =
      binary_bytes(wrapped(*memory->available_bytes + *memory->working_set_bytes));
  const Quantity inactive_file =
      binary_bytes(wrapped(*memory->usage_bytes - *memory->working_set_bytes));
  const Quantity level = capacity - quantity_of(threshold.value, capacity.value()) + inactive_file;
  return MemcgNotifier{level.kubernetes_value()};
}

}  // namespace evictd::eviction
