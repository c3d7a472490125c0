// SPDX-License-Identifier: Apache-2.0
// Choosing by a measurement of disk usage that is not done yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eviction/pass.h"
#include "eviction/rank.h"

namespace evictd::eviction {

/// How much is known for a choice.
enum class DiskSupport : std::uint8_t {
  kOpen,       ///< What is still to be counted may put another one first.
  kPlausible,  ///< That too, but all were looked at and the one in front is among those with more.
  kCertain,    ///< Whatever is still to be counted, the same one goes first.
};

/// How well the choice of `first`, which goes first by the readings as they are, is supported. A
/// pod that was not counted to its end may have any amount more. So a pod that was counted to its
/// end goes first only if none of the others can outrank it, however much is found of them.
[[nodiscard]] DiskSupport support_of(const RankRule& rule, std::span<const PassPod> pods,
                                     std::size_t first);

}  // namespace evictd::eviction
