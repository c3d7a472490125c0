// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/node_facts.h"
#include "eviction/quantity.h"

namespace evictd::config {

/// What the hard thresholds hold back of one resource.
struct Reservation {
  /// "memory" or "ephemeral-storage".
  std::string resource;
  /// As written: "100Mi", "10%".
  std::string threshold;
  /// Unset for a share of a capacity that is not known; 0 for a share that is no number ("NaN%").
  std::optional<eviction::Quantity> amount;
};

/// What the kubelet takes off a node's allocatable resources so that pods can be scheduled without
/// meeting a hard threshold: memory.available and nodefs.available, shares of the node's capacity.
/// None where hard thresholds are not to count, and none of ephemeral storage without
/// localStorageCapacityIsolation, because the node then has no such resource. Source: the kubelet's
/// HardEvictionReservation.
[[nodiscard]] std::vector<Reservation> hard_eviction_reservation(const Config& config,
                                                                 const NodeFacts& facts);

/// Comments for the end of effective_yaml().
[[nodiscard]] std::string to_yaml_comment(const std::vector<Reservation>& reservations);

}  // namespace evictd::config
