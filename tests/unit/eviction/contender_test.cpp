// SPDX-License-Identifier: Apache-2.0
#include "eviction/contender.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "eviction/rank.h"
#include "support/numbers.h"

namespace evictd::eviction {
namespace {

constexpr Wide kNanos = 1'000'000'000;

/// A pod with this request, in halves of a byte and some.
PodFacts asking(std::int64_t half_bytes, std::int32_t priority) {
  PodFacts facts;
  facts.priority = priority;
  facts.memory_request_nanos = half_bytes * kNanos / 2;
  return facts;
}

RankKey key_of(const PodFacts& facts, std::int64_t working_set) {
  PodReading reading;
  reading.state = ReadingState::kRead;
  reading.working_set_bytes = working_set;
  return rank_key(rank_rule(Signal::kMemoryAvailable, {}), facts, reading);
}

bool rival_overtakes(const PodFacts& rival, std::int64_t rival_bytes, const PodFacts& victim,
                     std::int64_t victim_bytes, ListedFirst first) {
  return overtakes(rival_of(rival, victim, first), rival_bytes, victim_of(victim), victim_bytes);
}

TEST(Contender, OvertakesWhereTheRankingSaysSo) {
  test::SeededNumbers numbers(1);
  for (int i = 0; i < 100'000; ++i) {
    const PodFacts rival = asking(numbers.up_to(12) - 2, numbers.up_to(1));
    const PodFacts victim = asking(numbers.up_to(12) - 2, numbers.up_to(1));
    const std::int64_t rival_bytes = numbers.up_to(6);
    const std::int64_t victim_bytes = numbers.up_to(6);
    const RankKey a = key_of(rival, rival_bytes);
    const RankKey b = key_of(victim, victim_bytes);
    ASSERT_EQ(rival_overtakes(rival, rival_bytes, victim, victim_bytes, ListedFirst::kRival),
              a < b || a == b);
    ASSERT_EQ(rival_overtakes(rival, rival_bytes, victim, victim_bytes, ListedFirst::kVictim),
              a < b);
  }
}

TEST(Contender, ComparesRequestsBeyond64Bits) {
  PodFacts most;
  most.memory_request_nanos = Wide{INT64_MAX} * kNanos * 1'000'000'000;
  const PodFacts none;
  constexpr std::int64_t kExbibytes = INT64_MAX / 2;
  EXPECT_FALSE(rival_overtakes(most, kExbibytes, none, 0, ListedFirst::kRival));
  EXPECT_TRUE(rival_overtakes(none, 0, most, kExbibytes, ListedFirst::kRival));
}

}  // namespace
}  // namespace evictd::eviction
