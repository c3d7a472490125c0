// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/node_facts.h"
#include "eviction/quantity.h"

namespace evictd::config {

/// How much of one resource the hard thresholds reserve.
struct Reservation {
  /// "memory" or "ephemeral-storage".
  std::string resource;
  /// As given: "100Mi", "10%".
  std::string threshold;
  /// Unset for a share of an unknown capacity; 0 for a share that is not a number ("NaN%").
  std::optional<eviction::Quantity> amount;
};

/// Returns what the kubelet subtracts from a node's allocatable resources, so that pods can be
/// scheduled without meeting a hard threshold. It uses memory.available and nodefs.available;
/// shares refer to the node's capacity. Empty if hard thresholds do not count as reserved. Without
/// localStorageCapacityIsolation it has no ephemeral storage, because the node then has no such
/// resource. Source: the kubelet's HardEvictionReservation.
[[nodiscard]] std::vector<Reservation> hard_eviction_reservation(const Config& config,
                                                                 const NodeFacts& facts);

/// Comments to append to effective_yaml().
[[nodiscard]] std::string to_yaml_comment(const std::vector<Reservation>& reservations);

}  // namespace evictd::config
