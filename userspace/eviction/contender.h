// SPDX-License-Identifier: Apache-2.0
// The ranking by memory in 64-bit integers, for the kernel side, which has no Wide. It equals the
// order of RankKey for pods whose working set is known.
#pragma once

#include <cstdint>

#include "eviction/pod_facts.h"

namespace evictd::eviction {

/// One pod of a comparison, without its working set.
struct Contender {
  std::int32_t priority = 0;
  /// The smallest working set that exceeds its request. Bytes.
  std::int64_t exceeds_from = 0;
  /// Of a rival: at equal urgency and priority it goes before the victim if its working set exceeds
  /// the victim's by at least this. May be negative. Bytes.
  std::int64_t lead = 0;
};

/// Which of two pods of equal rank goes first.
enum class ListedFirst : std::uint8_t { kRival, kVictim };

[[nodiscard]] Contender victim_of(const PodFacts& victim);
[[nodiscard]] Contender rival_of(const PodFacts& rival, const PodFacts& victim, ListedFirst first);

/// Whether the rival is evicted before the victim at these working sets, which are not negative.
[[nodiscard]] bool overtakes(const Contender& rival, std::int64_t rival_bytes,
                             const Contender& victim, std::int64_t victim_bytes);

}  // namespace evictd::eviction
