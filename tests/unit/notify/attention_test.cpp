// SPDX-License-Identifier: Apache-2.0
#include "evictd/abi/notify_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace {

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Fast ticks that a row costs which has come to rest where its edge could be reached in `period`.
std::uint64_t looks_at_rest(std::uint64_t period) {
  std::uint64_t looks = 0;
  for (std::uint64_t rest = 0; evictd_notify_is_followed(period, rest) != 0;
       rest += evictd_notify_next_look(period, rest)) {
    ++looks;
  }
  return looks;
}

TEST(NotifyAttention, KeepsARowNearItsEdgeWhoseTaskHasLostItsCpu) {
  const std::uint64_t period = 100 * kMicrosecond;
  EXPECT_TRUE(evictd_notify_is_followed(period, 11 * kMillisecond));
  EXPECT_TRUE(evictd_notify_is_followed(period, 200 * kMillisecond));
  EXPECT_FALSE(evictd_notify_is_followed(period, kSecond + 1));
}

TEST(NotifyAttention, LetsARowGoSoonThatIsNotNear) {
  for (const std::uint64_t period : {5 * kMillisecond, kNever}) {
    EXPECT_TRUE(evictd_notify_is_followed(period, 10 * kMillisecond));
    EXPECT_FALSE(evictd_notify_is_followed(period, 10 * kMillisecond + 1));
    EXPECT_EQ(evictd_notify_next_look(period, 10 * kMillisecond), period);
  }
}

TEST(NotifyAttention, LooksAtARowThatMovesAsSoonAsItsEdgeCanBeReached) {
  EXPECT_EQ(evictd_notify_next_look(64 * kMicrosecond, 0), 64 * kMicrosecond);
  EXPECT_EQ(evictd_notify_next_look(64 * kMicrosecond, 2 * kMillisecond), 64 * kMicrosecond);
}

TEST(NotifyAttention, LooksLessOftenTheLongerARowStandsStill) {
  EXPECT_EQ(evictd_notify_next_look(64 * kMicrosecond, 32 * kMillisecond), kMillisecond);
  EXPECT_EQ(evictd_notify_next_look(64 * kMicrosecond, 900 * kMillisecond), 5 * kMillisecond);
}

TEST(NotifyAttention, IsHighestWhereTheNextChargeOfAGrowingValuePassesTheEdge) {
  constexpr std::uint64_t kBatch = 256 << 10;
  EXPECT_TRUE(evictd_notify_is_last_stretch(kBatch, kBatch, 1));
  EXPECT_FALSE(evictd_notify_is_last_stretch(kBatch + 1, kBatch, kSecond));
  EXPECT_FALSE(evictd_notify_is_last_stretch(kBatch, kBatch, 0)) << "it stands still, or shrinks";
}

TEST(NotifyAttention, CostsAParkedRowNoMoreThanTheBudgetOfASecond) {
  // 256 at once and 400 a second; the nearest row is looked at after 20 us.
  EXPECT_LE(looks_at_rest(20 * kMicrosecond), 656);
  EXPECT_LE(looks_at_rest(kMillisecond), 400);
}

/// Ticks of `duration` for a row that is looked at by each and always wants the next in `period`.
std::uint64_t looks_while_moving(evictd_notify_looks& looks, std::uint64_t from,
                                 std::uint64_t duration, std::uint64_t period) {
  std::uint64_t count = 0;
  for (std::uint64_t now = from; now < from + duration;
       now += evictd_notify_wait(&looks, now, period)) {
    ++count;
  }
  return count;
}

TEST(NotifyLooks, OfAWayToAnEdgeComeAsSoonAsTheyAreWanted) {
  evictd_notify_looks looks{};
  for (std::uint64_t now = kSecond, i = 0; i < 128; ++i, now += 20 * kMicrosecond) {
    ASSERT_EQ(evictd_notify_wait(&looks, now, 20 * kMicrosecond), 20 * kMicrosecond) << i;
  }
}

TEST(NotifyLooks, OfARowThatPassesNoEdgeAreAHundredASecond) {
  evictd_notify_looks looks{};
  looks_while_moving(looks, kSecond, kSecond, 100 * kMicrosecond);
  EXPECT_LE(looks_while_moving(looks, 2 * kSecond, 10 * kSecond, 100 * kMicrosecond), 1010);
}

TEST(NotifyLooks, OfRowsThatMoveTogetherAreNoMoreThanThoseOfOne) {
  std::array<evictd_notify_looks, 4> rows{};
  for (auto& looks : rows) {
    looks_while_moving(looks, kSecond, kSecond, 100 * kMicrosecond);
  }
  std::uint64_t ticks = 0;
  for (std::uint64_t now = 3 * kSecond; now < 13 * kSecond; ++ticks) {
    std::uint64_t next = kNever;
    for (auto& looks : rows) {
      next = std::min<std::uint64_t>(next, evictd_notify_wait(&looks, now, kMillisecond));
    }
    now += next;
  }
  EXPECT_LE(ticks, 1000 + 128);
}

TEST(NotifyLooks, AreThereAnewForTheWayToTheNextEdge) {
  evictd_notify_looks looks{};
  looks_while_moving(looks, kSecond, kSecond, 100 * kMicrosecond);
  EXPECT_GT(evictd_notify_wait(&looks, 2 * kSecond, 100 * kMicrosecond), kMillisecond);
  evictd_notify_way_begins(&looks);
  EXPECT_EQ(evictd_notify_wait(&looks, 2 * kSecond, 100 * kMicrosecond), 100 * kMicrosecond);
}

TEST(NotifyLooks, BeforeTheOneThatIsDueAreFree) {
  evictd_notify_looks looks{};
  const std::uint64_t wanted = evictd_notify_wait(&looks, kSecond, kMillisecond);
  const std::uint64_t paid = looks.paid_until_ns;
  EXPECT_EQ(evictd_notify_wait(&looks, kSecond + wanted / 2, kMillisecond), wanted / 2);
  EXPECT_EQ(looks.paid_until_ns, paid);
}

TEST(NotifyLooks, ThatARowDoesNotWantAreNotPaidFor) {
  evictd_notify_looks looks{};
  looks_while_moving(looks, kSecond, kSecond, 100 * kMicrosecond);
  const evictd_notify_looks before = looks;
  EXPECT_EQ(evictd_notify_wait(&looks, 2 * kSecond, kNever), kNever);
  EXPECT_EQ(looks.due_ns, before.due_ns);
  EXPECT_EQ(looks.paid_until_ns, before.paid_until_ns);
}

TEST(NotifyLooks, OfTheLastStretchAreManyInTheTimeOfABatch) {
  constexpr std::uint64_t kBatch = 256 << 10;
  EXPECT_EQ(evictd_notify_stretch_look(kBatch, 5'000'000'000), 20 * kMicrosecond);
  EXPECT_EQ(evictd_notify_stretch_look(kBatch, kBatch * 1000), kMillisecond / 16);
  EXPECT_EQ(evictd_notify_stretch_look(kBatch, 1), 128 * kMicrosecond);
}

TEST(NotifyHints, AreAsFarAwayAsTheGrowthSays) {
  EXPECT_EQ(evictd_notify_time_away(1 << 20, 1 << 30), kSecond / 1024);
  EXPECT_EQ(evictd_notify_time_away(1 << 20, 0), kNever);
  EXPECT_EQ(evictd_notify_time_away(std::uint64_t{1} << 34, kSecond), std::uint64_t{1} << 34);
}

TEST(NotifyHints, ComeAFewInARowButNeverWhileTheLastIsWaitedFor) {
  evictd_notify_hints hints{};
  std::uint64_t now = kSecond;
  EXPECT_TRUE(evictd_notify_pay_hint(&hints, now));
  EXPECT_FALSE(evictd_notify_pay_hint(&hints, now + 2 * kMillisecond - 1));
  for (int i = 0; i < 2; ++i) {
    now += 2 * kMillisecond;
    EXPECT_TRUE(evictd_notify_pay_hint(&hints, now));
  }
  EXPECT_FALSE(evictd_notify_pay_hint(&hints, now + 2 * kMillisecond));
}

TEST(NotifyHints, AreTenASecondInAnySteadyState) {
  evictd_notify_hints hints{};
  int paid = 0;
  for (std::uint64_t now = kSecond; now < 11 * kSecond; now += kMillisecond) {
    paid += evictd_notify_pay_hint(&hints, now);
  }
  EXPECT_GE(paid, 100);
  EXPECT_LE(paid, 103);
}

}  // namespace
