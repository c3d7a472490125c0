// SPDX-License-Identifier: Apache-2.0
// Chooses a pod by an unfinished measurement of disk usage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eviction/pass.h"
#include "eviction/rank.h"

namespace evictd::eviction {

/// How well the measurements support a choice.
enum class DiskSupport : std::uint8_t {
  kOpen,       ///< The uncounted rest may put another pod first.
  kPlausible,  ///< As kOpen, but all pods were visited, and the first one is among the larger ones.
  kCertain,    ///< The uncounted rest cannot change which pod goes first.
};

/// How well the current readings support `first` as the first victim. A pod that is not fully
/// counted may use any number of bytes more. A fully counted pod therefore goes first only if no
/// other pod can outrank it, whatever its uncounted rest.
[[nodiscard]] DiskSupport support_of(const RankRule& rule, std::span<const PassPod> pods,
                                     std::size_t first);

}  // namespace evictd::eviction
