// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "eviction/disk_layout.h"
#include "eviction/pod_facts.h"
#include "eviction/signal.h"
#include "eviction/statistics.h"

namespace evictd::eviction {

/// Which parts of a pod's disk usage count.
struct MeasuredParts {
  bool root = false;
  bool logs = false;
  bool volumes = false;

  bool operator==(const MeasuredParts&) const = default;
};

/// How pods are ranked.
struct RankRule {
  Resource resource = Resource::kMemory;
  /// Used only for kEphemeralStorage and kInodes.
  MeasuredParts parts;
  /// Pods that free nothing in this scope are passed over.
  Scope scope = Scope::kNode;
};

/// The rule for a signal. kUnknown has no rule: a caller's error, ranked by memory.
[[nodiscard]] RankRule rank_rule(Signal signal, DiskLayout layout, Scope pid_scope = Scope::kNode);

/// Rank of one pod; the smaller key is evicted first.
struct RankKey {
  /// Memory and disk: -2 without statistics, -1 above its request, else 0. Pids: always 0.
  std::int8_t urgency = 0;
  std::int32_t priority = 0;
  /// Pids: -1 without statistics, else 0. Memory and disk: always 0.
  std::int8_t missing = 0;
  /// Usage minus request in units of 1e-9, or the number of processes; more goes first. The kubelet
  /// compares process counts by a wrapping difference: counts 2^63 apart each precede the other,
  /// and its sort order is undefined. Here they are ordered.
  Wide amount = 0;

  [[nodiscard]] std::strong_ordering operator<=>(const RankKey& other) const {
    if (urgency != other.urgency) {
      return urgency <=> other.urgency;
    }
    if (priority != other.priority) {
      return priority <=> other.priority;
    }
    if (missing != other.missing) {
      return missing <=> other.missing;
    }
    // Not <=>: it is not defined for a Wide in strict C++.
    return amount > other.amount   ? std::strong_ordering::less
           : amount < other.amount ? std::strong_ordering::greater
                                   : std::strong_ordering::equal;
  }
  [[nodiscard]] bool operator==(const RankKey& other) const { return (*this <=> other) == 0; }
};

/// A pod's usage under the rule. Units: bytes, inodes or processes.
[[nodiscard]] Wide measured_usage(const RankRule& rule, const PodReading& reading);

/// The effective request that the rule compares usage with, in units of 1e-9; 0 for pids. Inodes
/// are compared with the request for ephemeral storage in bytes.
[[nodiscard]] Wide request_nanos(const RankRule& rule, const PodFacts& facts);

/// Cost: a few comparisons, no allocation.
[[nodiscard]] RankKey rank_key(const RankRule& rule, const PodFacts& facts,
                               const PodReading& reading);

}  // namespace evictd::eviction
