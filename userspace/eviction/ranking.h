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

/// The rule by which a candidate is passed over.
enum class PassOver : std::uint8_t {
  kNone,
  kStatic,
  kMirror,
  kCritical,
  kNeverEvict,  ///< The configuration names its namespace or a label of it.
  kUnknown,
  kNotReadYet,
  kKilled,
  kRefused,         ///< Its eviction was decided on before, and could not be begun.
  kOutsidePodRoot,  ///< The limit is the pod root's own, and it lies outside.
  kSpared,          ///< It would go for what dead pods have left behind: see Decision::choice.
  kRanksLater,      ///< Nothing but its place.
};

/// "static", "mirror", "critical", "never_evict", "unknown", "not_read_yet", "killed",
/// "refused", "outside_pod_root", "spared", "ranks_later"; "" for kNone.
[[nodiscard]] std::string_view to_string(PassOver rule);

/// Whether it is one of the pods that a kubelet would rank: what no source knows is not.
[[nodiscard]] bool is_active(const PassPod& pod);

/// Why this pod may not be evicted at all; kNone if it may.
[[nodiscard]] PassOver protection_of(const PassPod& pod);

/// Why this pod may not be evicted by `rule`: protection_of(), or kOutsidePodRoot.
[[nodiscard]] PassOver passed_over_by(const RankRule& rule, const PassPod& pod);

/// One line of a ranking.
struct Candidate {
  /// Place in the pods that were given.
  std::size_t pod = 0;
  /// 1 is evicted first. Pods that are not ranked (unknown, or not read yet) come last and have
  /// place 0.
  std::size_t place = 0;
  RankKey key;
  /// Usage and effective request as the rule measures them; request in units of 1e-9.
  Wide usage = 0;
  Wide request_nanos = 0;
  PassOver passed_over = PassOver::kNone;
};

/// Every pod with its place and, when it is not the one that goes first, the rule which passed it
/// over, `choice` among them. Pods that rank equal keep their order. For use off the hot path:
/// allocates.
[[nodiscard]] std::vector<Candidate> rank_with_reasons(const RankRule& rule,
                                                       std::span<const PassPod> pods,
                                                       Choice choice = Choice::kAnybody);

}  // namespace evictd::eviction
