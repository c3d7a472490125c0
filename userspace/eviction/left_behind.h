// SPDX-License-Identifier: Apache-2.0
// Memory that stays charged to a victim's cgroup after its last process has exited: files on a
// tmpfs, page cache, slab. A kubelet unmounts a pod's volumes before it evicts another pod.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "eviction/decision.h"
#include "eviction/hold.h"
#include "eviction/pass.h"
#include "eviction/rank.h"

namespace evictd::eviction {

/// Which pods may be chosen while killed victims still hold memory. kAnybody for all resources but
/// memory, and if nothing was left behind.
/// kGrower: a hard threshold fell below its floor because live pods have grown since the wait
/// began. If it was below the floor already, or they have grown by less than is missing, their
/// growth must reach a quarter of the threshold, or half of what was left if that is less.
/// The floor also applies after the wait. Growth of pods that may not be evicted does not count.
[[nodiscard]] Choice choice_beside_left(const HoldQuestion& question, const PassInput& input,
                                        MonoTime now);

/// The pod that has grown most since the wait began; nullopt if none has.
[[nodiscard]] std::optional<std::size_t> grower(std::span<const PassPod> pods, Scope scope);

/// Applies a Choice to `pods`.
class Chosen {
 public:
  Chosen(Choice choice, const RankRule& rule, std::span<const PassPod> pods);
  /// Whether the choice permits `pod`, one of `pods`; its rank then decides.
  [[nodiscard]] bool may_go(const PassPod& pod) const;

 private:
  Choice choice_;
  RankRule rule_;
  const PassPod* grown_ = nullptr;
};

}  // namespace evictd::eviction
