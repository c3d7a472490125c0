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

/// Limit for quantities and moments from outside; within it no difference overflows.
inline constexpr std::int64_t kMostCompared = std::int64_t{1} << 61U;
/// Whether `moment` is between 1970 and 2043.
[[nodiscard]] constexpr bool is_comparable(WallTime moment) {
  return moment >= WallTime{} && moment.time_since_epoch().count() <= kMostCompared;
}

/// One side of a comparison: an actual eviction, or one in a dry run.
struct ComparedEviction {
  std::string ns{};
  std::string name{};
  std::string uid{};
  WallTime time{};
  /// `time` is truncated to this; the event happened at most this much later.
  Duration precision{};
  /// "record", "event", "condition" or "seen": the source of `time`.
  std::string time_source{};
  /// "memory", "pids", "ephemeral-storage" or "inodes"; empty if unknown.
  std::string resource{};
  /// Of the signal, as the deciding program saw it: bytes, tasks or inodes.
  std::optional<std::int64_t> available{};
  /// The pod's usage of the resource.
  std::optional<std::int64_t> usage{};
  /// Id of evictd's record; 0 for a kubelet's eviction.
  std::uint64_t id = 0;
};

/// Which side was first.
enum class Earlier {
  kEvictd,
  kKubelet,
  kUnclear,  ///< The difference is below the precision of the times.
};

/// What evictd would have done, next to what a kubelet did. One side may be missing.
struct Comparison {
  std::optional<ComparedEviction> evictd{};
  std::optional<ComparedEviction> kubelet{};
  /// The missing side may still appear.
  bool is_waiting = false;

  [[nodiscard]] bool is_pair() const { return evictd && kubelet; }
  /// Both sides chose the same pod.
  [[nodiscard]] bool is_same_pod() const { return is_pair() && evictd->uid == kubelet->uid; }
  /// The time of the existing side; evictd's if both exist.
  [[nodiscard]] WallTime time() const;
};

/// For a pair only.
[[nodiscard]] Earlier earlier_of(const Comparison& pair);
/// How much earlier evictd was; negative if it was later.
[[nodiscard]] Duration lead_of(const Comparison& pair);
/// How much more was available when evictd decided; nullopt if it acted on another resource, or if
/// either value is unknown.
[[nodiscard]] std::optional<std::int64_t> more_available(const Comparison& pair);

[[nodiscard]] std::string_view to_string(Earlier earlier);

/// The number of comparisons of each kind, and evictd's lead.
struct ComparisonSummary {
  std::size_t same_pod = 0;
  std::size_t other_pod = 0;
  std::size_t evictd_only = 0;
  std::size_t kubelet_only = 0;
  std::size_t waiting = 0;
  std::size_t evictd_earlier = 0;
  std::size_t kubelet_earlier = 0;
  std::size_t unclear = 0;
  /// Median over all pairs; unset without pairs.
  std::optional<Duration> median_lead{};
  /// Over the pairs about bytes.
  std::optional<std::int64_t> median_more_available{};
};

[[nodiscard]] ComparisonSummary summary_of(const std::vector<Comparison>& comparisons);

/// One line of the file; see docs/kubernetes.md.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json to_json(const ComparisonSummary& summary);

/// Parses what to_json() wrote. Errors: kMalformed with the member's name; kUnsupported for another
/// schema.
[[nodiscard]] Result<Comparison> comparison_from_json(const nlohmann::ordered_json& json);

}  // namespace evictd::exporting
