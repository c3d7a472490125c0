// SPDX-License-Identifier: Apache-2.0
// Memory that stays charged to the cgroup of a victim after its last process: files on a tmpfs,
// page cache, slab. A kubelet unmounts a pod's volumes before it evicts another one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "eviction/decision.h"
#include "eviction/hold.h"
#include "eviction/pass.h"
#include "eviction/rank.h"

namespace evictd::eviction {

/// For memory only; kAnybody for all other resources, and where nothing was left behind. kGrower: a
/// hard threshold whose floor is passed because pods that live have grown since the wait began;
/// where less than the floor was left then, or they have not grown by all that is missing, because
/// they have taken a quarter of the threshold since, or half of what was left where that is less.
/// The floor holds after the wait too. What pods take that may not be evicted does not count.
[[nodiscard]] Choice choice_beside_left(const HoldQuestion& question, const PassInput& input,
                                        MonoTime now);

/// The pod that has grown most of all since the wait began; nothing where none has.
[[nodiscard]] std::optional<std::size_t> grower(std::span<const PassPod> pods, Scope scope);

/// A choice among `pods`.
class Chosen {
 public:
  Chosen(Choice choice, const RankRule& rule, std::span<const PassPod> pods);
  /// Whether the choice leaves `pod`, which is one of `pods`, to its rank.
  [[nodiscard]] bool may_go(const PassPod& pod) const;

 private:
  Choice choice_;
  RankRule rule_;
  const PassPod* grown_ = nullptr;
};

}  // namespace evictd::eviction
