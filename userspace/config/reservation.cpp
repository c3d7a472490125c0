// SPDX-License-Identifier: Apache-2.0
#include "config/reservation.h"

#include <fmt/format.h>

#include <cmath>

#include "eviction/parse_thresholds.h"

namespace evictd::config {
namespace {

std::optional<eviction::Quantity> amount_of(const eviction::ThresholdValue& value,
                                            std::optional<std::int64_t> capacity) {
  if (!value.quantity && !capacity) {
    return std::nullopt;
  }
  if (!value.quantity && std::isnan(value.percentage)) {
    return eviction::Quantity(0, eviction::QuantityFormat::kBinarySI);
  }
  return eviction::quantity_of(value, capacity.value_or(0));
}

}  // namespace

std::vector<Reservation> hard_eviction_reservation(const Config& config, const NodeFacts& facts) {
  std::vector<Reservation> reservations;
  if (config->node_allocatable.ignore_eviction) {
    return reservations;
  }
  eviction::ThresholdTexts hard_alone;
  hard_alone.hard = config->eviction.hard;
  const auto thresholds = eviction::parse_thresholds(hard_alone, config->compatibility);
  if (!thresholds) {
    return reservations;
  }
  for (const eviction::Threshold& threshold : *thresholds) {
    const bool is_memory = threshold.signal == eviction::Signal::kMemoryAvailable;
    // Without isolation a node has no ephemeral storage to reserve from.
    const bool is_storage = threshold.signal == eviction::Signal::kNodeFsAvailable &&
                            config->storage.local_storage_capacity_isolation;
    if (!is_memory && !is_storage) {
      continue;
    }
    reservations.push_back(
        {.resource = is_memory ? "memory" : "ephemeral-storage",
         .threshold = to_string(threshold.value),
         .amount = amount_of(threshold.value,
                             is_memory ? facts.memory_bytes : facts.ephemeral_storage_bytes)});
  }
  return reservations;
}

std::string to_yaml_comment(const std::vector<Reservation>& reservations) {
  std::string text = "# reserved by the hard thresholds:";
  for (const Reservation& reservation : reservations) {
    text += fmt::format(
        "\n#   {}: {} ({})", reservation.resource,
        reservation.amount ? reservation.amount->to_string() : "a share of an unknown capacity",
        reservation.threshold);
  }
  return text + (reservations.empty() ? " nothing\n" : "\n");
}

}  // namespace evictd::config
