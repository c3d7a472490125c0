// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "eviction/decision.h"
#include "eviction/pass.h"
#include "eviction/rank.h"

namespace evictd::eviction {

/// Why a candidate is passed over.
enum class PassOver : std::uint8_t {
  kNone,
  kStatic,
  kMirror,
  kCritical,
  kNeverEvict,  ///< neverEvict matches its namespace or one of its labels.
  kUnknown,
  kNotReadYet,
  kKilled,
  kRefused,         ///< An earlier pass chose it, but its eviction could not begin.
  kOutsidePodRoot,  ///< The limit is the pod root's, and the pod lies outside.
  kSpared,          ///< Killed pods hold the memory that it would be evicted for: Decision::choice.
  kRanksLater,      ///< Only its rank.
};

/// "static", "mirror", "critical", "never_evict", "unknown", "not_read_yet", "killed",
/// "refused", "outside_pod_root", "spared", "ranks_later"; "" for kNone.
[[nodiscard]] std::string_view to_string(PassOver rule);

/// Whether a kubelet would rank this pod. False for a cgroup that no pod source knows.
[[nodiscard]] bool is_active(const PassPod& pod);

/// Why this pod may not be evicted at all; kNone if it may.
[[nodiscard]] PassOver protection_of(const PassPod& pod);

/// Why this pod may not be evicted by `rule`: protection_of(), or kOutsidePodRoot.
[[nodiscard]] PassOver passed_over_by(const RankRule& rule, const PassPod& pod);

/// One line of a ranking.
struct Candidate {
  /// Index into the given pods.
  std::size_t pod = 0;
  /// 1 is evicted first. Unranked pods (unknown, or not read yet) come last with place 0.
  std::size_t place = 0;
  RankKey key;
  /// Usage and effective request under the rule; request in units of 1e-9.
  Wide usage = 0;
  Wide request_nanos = 0;
  PassOver passed_over = PassOver::kNone;
};

/// Ranks every pod and states why each pod but the first is passed over, `choice` included. Pods of
/// equal rank keep their order. Allocates: not for the hot path.
[[nodiscard]] std::vector<Candidate> rank_with_reasons(const RankRule& rule,
                                                       std::span<const PassPod> pods,
                                                       Choice choice = Choice::kAnybody);

}  // namespace evictd::eviction
