// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::exporting {

/// Amounts and moments that are compared are from outside; within these no difference overflows.
inline constexpr std::int64_t kMostCompared = std::int64_t{1} << 61U;
/// Whether it is between 1970 and 2043.
[[nodiscard]] constexpr bool is_comparable(WallTime moment) {
  return moment >= WallTime{} && moment.time_since_epoch().count() <= kMostCompared;
}

/// One side of a comparison: a pod that was evicted, or that would have been.
struct ComparedEviction {
  std::string ns{};
  std::string name{};
  std::string uid{};
  WallTime time{};
  /// `time` is cut to so much: what happened lies within as much behind it.
  Duration precision{};
  /// "record", "event", "condition" or "seen": whence `time` is.
  std::string time_source{};
  /// "memory", "pids", "ephemeral-storage" or "inodes"; empty where that is not known.
  std::string resource{};
  /// Of the signal, as its decider saw it: bytes, tasks or inodes.
  std::optional<std::int64_t> available{};
  /// Of the pod, of the resource.
  std::optional<std::int64_t> usage{};
  /// Of evictd's record; 0 for a kubelet's eviction.
  std::uint64_t id = 0;
};

/// Who was first.
enum class Earlier {
  kEvictd,
  kKubelet,
  kUnclear,  ///< Closer together than the times are exact.
};

/// What evictd would have done beside what a kubelet did. One side may be missing.
struct Comparison {
  std::optional<ComparedEviction> evictd{};
  std::optional<ComparedEviction> kubelet{};
  /// The missing side may come yet.
  bool is_waiting = false;

  [[nodiscard]] bool is_pair() const { return evictd && kubelet; }
  /// Both sides chose the same pod.
  [[nodiscard]] bool is_same_pod() const { return is_pair() && evictd->uid == kubelet->uid; }
  /// Of the side that is there, of evictd where both are.
  [[nodiscard]] WallTime time() const;
};

/// Of a pair.
[[nodiscard]] Earlier earlier_of(const Comparison& pair);
/// By how much evictd was earlier; below 0 where it was later.
[[nodiscard]] Duration lead_of(const Comparison& pair);
/// How much more was available when evictd decided; nothing where it was about another resource, or
/// where it is not known.
[[nodiscard]] std::optional<std::int64_t> more_available(const Comparison& pair);

[[nodiscard]] std::string_view to_string(Earlier earlier);

/// How many there are of each kind, and by how much evictd was earlier.
struct ComparisonSummary {
  std::size_t same_pod = 0;
  std::size_t other_pod = 0;
  std::size_t evictd_only = 0;
  std::size_t kubelet_only = 0;
  std::size_t waiting = 0;
  std::size_t evictd_earlier = 0;
  std::size_t kubelet_earlier = 0;
  std::size_t unclear = 0;
  /// The median over pairs; nothing where there are none.
  std::optional<Duration> median_lead{};
  /// Of those that are about bytes.
  std::optional<std::int64_t> median_more_available{};
};

[[nodiscard]] ComparisonSummary summary_of(const std::vector<Comparison>& comparisons);

/// One line of the file; docs/kubernetes.md.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json to_json(const ComparisonSummary& summary);

/// Reads what to_json() wrote. Errors: kMalformed, naming the member; kUnsupported for another
/// schema.
[[nodiscard]] Result<Comparison> comparison_from_json(const nlohmann::ordered_json& json);

}  // namespace evictd::exporting
