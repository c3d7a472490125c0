// SPDX-License-Identifier: Apache-2.0
#include "support/kubernetes/memcg_notifier.h"

#include <optional>

#include "eviction/amounts.h"
#include "support/kubernetes/kubernetes_value.h"

namespace evictd::test {

using eviction::binary_bytes;
using eviction::MemoryStatistics;
using eviction::NodeStatistics;
using eviction::Quantity;
using eviction::quantity_of;
using eviction::Signal;
using eviction::Threshold;
using eviction::wrapped;

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
  return MemcgNotifier{kubernetes_value(level)};
}

}  // namespace evictd::test
