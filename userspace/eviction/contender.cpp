// SPDX-License-Identifier: Apache-2.0
#include "eviction/contender.h"

#include <algorithm>
#include <limits>

namespace evictd::eviction {
namespace {

constexpr Wide kNanosPerByte = 1'000'000'000;

/// The smallest number of bytes that is more than `nanos`, given in units of 1e-9.
std::int64_t first_above(Wide nanos) {
  Wide whole = nanos / kNanosPerByte;
  if (nanos % kNanosPerByte < 0) {
    --whole;  // A division rounds towards zero.
  }
  constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(whole + 1, kLeast, kMost));
}

}  // namespace

Contender victim_of(const PodFacts& victim) {
  return {.priority = victim.priority,
          .exceeds_from = first_above(victim.memory_request_nanos),
          .lead = 0};
}

Contender rival_of(const PodFacts& rival, const PodFacts& victim, ListedFirst first) {
  Contender made = victim_of(rival);
  const Wide ahead = rival.memory_request_nanos - victim.memory_request_nanos;
  made.lead = first_above(first == ListedFirst::kRival ? ahead - 1 : ahead);
  return made;
}

bool overtakes(const Contender& rival, std::int64_t rival_bytes, const Contender& victim,
               std::int64_t victim_bytes) {
  const bool rival_exceeds = rival_bytes >= rival.exceeds_from;
  const bool victim_exceeds = victim_bytes >= victim.exceeds_from;
  if (rival_exceeds != victim_exceeds) {
    return rival_exceeds;
  }
  if (rival.priority != victim.priority) {
    return rival.priority < victim.priority;
  }
  return rival_bytes - victim_bytes >= rival.lead;
}

}  // namespace evictd::eviction
