// SPDX-License-Identifier: Apache-2.0
#include "eviction/brakes.h"

#include <gtest/gtest.h>

#include <vector>

#include "builders.h"
#include "eviction/ranking.h"
#include "node.h"

namespace evictd::eviction {
namespace {

constexpr Bytes kCapacity = 16_GiB;

PassSettings one_hard_threshold() {
  ThresholdTexts texts;
  texts.hard = {{"memory.available", "1Gi"}};
  PassSettings settings;
  settings.thresholds = thresholds(texts);
  return settings;
}

/// A node with a hard threshold on memory and one on pids, two pods, and brakes.
class BrakedNode : public testing::Test {
 protected:
  BrakedNode() {
    brakes_.growth.memory_per_second = 128_GiB;
    node_.with(pod("big"), 4_GiB).with(pod("small"), 1_GiB);
    node_.input().brakes = &brakes_;
  }

  static PassSettings settings() {
    ThresholdTexts texts;
    texts.hard = {{"memory.available", "1Gi"}, {"pid.available", "100"}};
    PassSettings settings;
    settings.thresholds = thresholds(texts);
    settings.hard_grace = 0s;
    return settings;
  }
  /// As many evictions as the minute allows, one second apart, the last one now.
  void use_up() {
    brakes_.max_evictions_per_minute = 3;
    for (int i = 2; i >= 0; --i) {
      begun_.push_back(node_.now() - std::chrono::seconds(i));
    }
    brakes_.recent = begun_;
  }
  void expect_held(const Decision& decision, Reason reason) {
    EXPECT_EQ(decision.outcome, Outcome::kHeld);
    EXPECT_EQ(decision.reason, reason) << to_string(decision.reason);
    EXPECT_FALSE(decision.victim);
    ASSERT_TRUE(decision.next_deadline);
  }

  std::vector<MonoTime> begun_;
  Brakes brakes_;
  Node node_{settings()};
};

using EvictionRate = BrakedNode;

TEST_F(EvictionRate, UsedUpRateHoldsUntilOldestEvictionIsAMinuteOld) {
  use_up();
  const Decision& held = node_.pass_with_memory(900_MiB);
  expect_held(held, Reason::kEvictionRate);
  EXPECT_EQ(*held.next_deadline, begun_.front() + 60s);
  node_.pass_time(*held.next_deadline - node_.now());
  EXPECT_EQ(node_.pass_with_memory(900_MiB).outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "big");
}

TEST_F(EvictionRate, LetsHardMemoryAndPidsBelowTheFloorPassAndSaysSo) {
  use_up();
  const Decision& memory = node_.pass_with_memory(511_MiB);
  EXPECT_EQ(memory.outcome, Outcome::kEvicted);
  EXPECT_EQ(memory.overruled, Reason::kEvictionRate);
  node_.see(Signal::kMemoryAvailable, (8_GiB).value, kCapacity.value);
  node_.see(Signal::kPidAvailable, 49, 1000);
  EXPECT_EQ(node_.pass().overruled, Reason::kEvictionRate);
  EXPECT_EQ(node_.last().outcome, Outcome::kEvicted);
}

TEST_F(EvictionRate, ThatHoldsOneThresholdHoldsNoOther) {
  use_up();
  node_.see(Signal::kMemoryAvailable, (900_MiB).value, kCapacity.value);
  node_.see(Signal::kPidAvailable, 49, 1000);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.manager().thresholds()[*node_.last().threshold].signal, Signal::kPidAvailable);
}

TEST_F(EvictionRate, OfZeroSetsNoLimit) {
  use_up();
  brakes_.max_evictions_per_minute = 0;
  EXPECT_EQ(node_.pass_with_memory(900_MiB).outcome, Outcome::kEvicted);
}

TEST_F(EvictionRate, IsNotUsedUpByAVictimWhoseGraceIsCut) {
  use_up();
  node_["big"].standing = Standing::kInSoftGrace;
  EXPECT_EQ(node_.pass_with_memory(900_MiB).outcome, Outcome::kEscalated);
}

using Pause = BrakedNode;

TEST_F(Pause, HoldsEverythingBelowTheFloorTooAndEndsExactly) {
  const MonoTime end = node_.now() + 10min;
  brakes_.pauses.all = end;
  expect_held(node_.pass_with_memory(1_MiB), Reason::kPaused);
  EXPECT_EQ(*node_.last().next_deadline, end);
  node_.pass_time(end - node_.now() - 1ns);
  expect_held(node_.pass_with_memory(1_MiB), Reason::kPaused);
  node_.pass_time(1ns);
  EXPECT_EQ(node_.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

TEST_F(Pause, OfOneSignalHoldsNoOther) {
  brakes_.pauses.by_signal[static_cast<std::size_t>(Signal::kMemoryAvailable)] = node_.now() + 1h;
  expect_held(node_.pass_with_memory(1_MiB), Reason::kPaused);
  node_.see(Signal::kPidAvailable, 99, 1000);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
}

TEST_F(Pause, OfOneSignalHoldsTheThresholdsThatWereMadeFromIts) {
  ThresholdTexts texts;
  texts.hard = {{"memory.available", "1Gi"}, {"imagefs.available", "1Gi"}};
  texts.enforce_node_allocatable = {"pods"};
  PassSettings derived;
  derived.thresholds = thresholds(texts);
  Node node(derived);
  node.with(pod("web"), 1_GiB);
  node.input().brakes = &brakes_;
  node.input().layout = DiskLayout{.dedicated_image_fs = true, .split_container_fs = false};
  node.pass();  // learns the layout
  const MonoTime end = node.now() + 1h;
  brakes_.pauses.by_signal[static_cast<std::size_t>(Signal::kMemoryAvailable)] = end;
  brakes_.pauses.by_signal[static_cast<std::size_t>(Signal::kImageFsAvailable)] = end;
  for (const Signal signal : {Signal::kAllocatableMemoryAvailable, Signal::kContainerFsAvailable}) {
    node.pass_time(1s);
    node.see(signal, (1_MiB).value, (8_GiB).value);
    EXPECT_EQ(node.pass().reason, Reason::kPaused) << to_string(signal);
    EXPECT_EQ(node.victim(), "nobody");
    node.see(signal, (4_GiB).value, (8_GiB).value);
  }
}

TEST_F(Pause, OfADerivedSignalDoesNotHoldItsSource) {
  brakes_.pauses.by_signal[static_cast<std::size_t>(Signal::kAllocatableMemoryAvailable)] =
      node_.now() + 1h;
  EXPECT_EQ(node_.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

TEST_F(Pause, CutsNoGrace) {
  node_["big"].standing = Standing::kInHardGrace;
  brakes_.pauses.all = node_.now() + 1h;
  expect_held(node_.pass_with_memory(1_MiB), Reason::kPaused);
}

using Implausible = BrakedNode;

TEST_F(Implausible, ACapacityOfNothingHolds) {
  node_.see(Signal::kMemoryAvailable, 0, 0);
  expect_held(node_.pass(), Reason::kNoCapacity);
  node_.pass_time(1s);
  EXPECT_EQ(node_.pass_with_memory(900_MiB).outcome, Outcome::kEvicted);
}

TEST_F(Implausible, MoreAvailableThanThereIsHolds) {
  node_.see(Signal::kMemoryAvailable, (800_MiB).value, (700_MiB).value);
  expect_held(node_.pass(), Reason::kAboveCapacity);
}

TEST_F(Implausible, NumbersThatMeetNothingAreNotBelievedEither) {
  node_.see(Signal::kMemoryAvailable, (20_GiB).value, (16_GiB).value);
  EXPECT_EQ(node_.pass().outcome, Outcome::kHeld);
  EXPECT_EQ(node_.last().reason, Reason::kAboveCapacity);
  node_.see(Signal::kMemoryAvailable, (12_GiB).value, (16_GiB).value);
  EXPECT_EQ(node_.pass().outcome, Outcome::kNothingMet);
}

TEST_F(Implausible, AFilesystemWithoutANumberOfInodesIsNoReasonToHold) {
  ThresholdTexts texts;
  texts.hard = {{"nodefs.inodesFree", "5%"}};
  PassSettings inodes;
  inodes.thresholds = thresholds(texts);
  Node node(inodes);
  node.with(pod("web"), 1_GiB);
  node.input().brakes = &brakes_;
  node.see(Signal::kNodeFsInodesFree, 0, 0);
  EXPECT_EQ(node.pass().outcome, Outcome::kNothingMet);
}

TEST_F(Implausible, ASoftTimerGoesOnWhileWhatIsSeenIsNonsense) {
  ThresholdTexts texts;
  texts.soft = {{"memory.available", "1Gi"}};
  texts.soft_grace_period = {{"memory.available", "2m"}};
  PassSettings soft;
  soft.thresholds = thresholds(texts);
  Node node(soft);
  node.with(pod("hog"), 4_GiB);
  node.input().brakes = &brakes_;
  EXPECT_EQ(node.pass_with_memory(900_MiB).outcome, Outcome::kInGrace);
  node.pass_time(1min);
  node.see(Signal::kMemoryAvailable, (20_GiB).value, (16_GiB).value);
  expect_held(node.pass(), Reason::kAboveCapacity);
  EXPECT_TRUE(node.last().conditions.has(Condition::kMemoryPressure));
  node.pass_time(1min);
  EXPECT_EQ(node.pass_with_memory(900_MiB).outcome, Outcome::kEvicted) << "two minutes in all";
}

TEST_F(Implausible, ImpossibleGrowthHoldsUntilTheNextReadConfirmsIt) {
  node_.pass_with_memory(12_GiB);
  node_.pass_time(10ms);
  expect_held(node_.pass_with_memory(0_KiB), Reason::kUnexplainedJump);
  EXPECT_EQ(*node_.last().next_deadline, node_.now() + kLookAgainAfterJump);
  node_.pass_time(1ms);
  EXPECT_EQ(node_.pass_with_memory(0_KiB).outcome, Outcome::kEvicted);
}

TEST_F(Implausible, UseThatWasMisreadOnceCostsNobodyHisLife) {
  node_.pass_with_memory(12_GiB);
  node_.pass_time(10ms);
  expect_held(node_.pass_with_memory(0_KiB), Reason::kUnexplainedJump);
  node_.pass_time(1ms);
  EXPECT_EQ(node_.pass_with_memory(12_GiB).outcome, Outcome::kNothingMet);
}

TEST_F(Implausible, AHogAtTenGibibytesASecondIsNotHeldHoweverOftenWeLook) {
  for (const Duration step : {Duration(20us), Duration(1ms), Duration(100ms)}) {
    Node node(settings());
    node.with(pod("hog"), 4_GiB);
    node.input().brakes = &brakes_;
    std::int64_t available = (3_GiB).value;
    Outcome last = Outcome::kNothingMet;
    while (last == Outcome::kNothingMet) {
      last = node.pass_with_memory(Bytes{available}).outcome;
      node.pass_time(step);
      available -= step.count() * 10 * (1_GiB).value / 1'000'000'000;
    }
    EXPECT_EQ(last, Outcome::kEvicted);
  }
}

/// A node of 16 GiB that zeroes 8 GiB a second with each of four CPUs, and has one disk.
class BelievedGrowth : public testing::Test {
 protected:
  static constexpr MonoTime kBefore{100s};
  static Observation seen(Bytes available, MonoTime at, Bytes capacity = kCapacity) {
    return {.available = available.value, .capacity = capacity.value, .time = at};
  }
  [[nodiscard]] Reason doubt(Signal signal, const Observation& before,
                             const Observation& now) const {
    return doubt_about_jump(signal, now, before, limits_);
  }
  GrowthLimits limits_ =
      growth_limits_of({.zeroed_per_second = 8_GiB, .cpus = 4, .memory = kCapacity});
};

TEST_F(BelievedGrowth, MisreadMemoryIsDoubtedAtATenSecondPoll) {
  EXPECT_EQ(doubt(Signal::kMemoryAvailable, seen(12_GiB, kBefore), seen(0_KiB, kBefore + 10s)),
            Reason::kUnexplainedJump);
  EXPECT_EQ(doubt(Signal::kMemoryAvailable, seen(12_GiB, kBefore), seen(9_GiB, kBefore + 10s)),
            Reason::kNone);
}

TEST_F(BelievedGrowth, IsNoFasterThanAllCpusZero) {
  const auto after_10_ms = [&](Bytes grown) {
    return doubt(Signal::kMemoryAvailable, seen(12_GiB, kBefore),
                 seen(12_GiB - grown, kBefore + 10ms));
  };
  EXPECT_EQ(after_10_ms(900_MiB), Reason::kNone) << "256 MiB and 64 GiB/s";
  EXPECT_EQ(after_10_ms(920_MiB), Reason::kUnexplainedJump);
}

TEST_F(BelievedGrowth, MisreadDiskIsDoubtedAtATenSecondPoll) {
  const auto after_10_s = [&](Bytes left) {
    return doubt(Signal::kNodeFsAvailable, seen(500_GiB, kBefore, 1024_GiB),
                 seen(left, kBefore + 10s, 1024_GiB));
  };
  EXPECT_EQ(after_10_s(0_KiB), Reason::kUnexplainedJump);
  EXPECT_EQ(after_10_s(300_GiB), Reason::kNone);
}

TEST_F(BelievedGrowth, ADiskThatBecameAnotherIsLookedAtTwice) {
  const Observation other = seen(1_GiB, kBefore + 10s, 20_GiB);
  EXPECT_EQ(doubt(Signal::kNodeFsAvailable, seen(500_GiB, kBefore, 1024_GiB), other),
            Reason::kUnexplainedJump);
  EXPECT_EQ(doubt(Signal::kNodeFsAvailable, other, seen(1_GiB, kBefore + 11s, 20_GiB)),
            Reason::kNone);
}

TEST_F(BelievedGrowth, OfADiskIsWhatThePageCacheTakesAtOnce) {
  const auto after_1_ms = [&](Bytes written) {
    return doubt(Signal::kNodeFsAvailable, seen(500_GiB, kBefore, 1024_GiB),
                 seen(500_GiB - written, kBefore + 1ms, 1024_GiB));
  };
  EXPECT_EQ(after_1_ms(4_GiB), Reason::kNone);
  EXPECT_EQ(after_1_ms(5_GiB), Reason::kUnexplainedJump);
}

TEST_F(BelievedGrowth, InodesOfASmallDiskMayGoAtOnce) {
  const auto inodes = [](std::int64_t left, MonoTime at) {
    return Observation{.available = left, .capacity = 900'000, .time = at};
  };
  EXPECT_EQ(doubt(Signal::kNodeFsInodesFree, inodes(900'000, kBefore), inodes(0, kBefore + 1ms)),
            Reason::kNone);
}

TEST_F(BelievedGrowth, OfAnOldRecordingIsJudgedByItsRateAlone) {
  limits_ = {.memory_per_second = 128_GiB};
  EXPECT_EQ(doubt(Signal::kMemoryAvailable, seen(12_GiB, kBefore), seen(0_KiB, kBefore + 10s)),
            Reason::kNone);
  EXPECT_EQ(doubt(Signal::kNodeFsAvailable, seen(12_GiB, kBefore), seen(0_KiB, kBefore + 1ms)),
            Reason::kNone);
}

TEST_F(Implausible, OneMisreadingAtATenSecondPollEvictsNobody) {
  brakes_.growth = growth_limits_of({.zeroed_per_second = 8_GiB, .cpus = 4, .memory = kCapacity});
  node_.pass_with_memory(12_GiB);
  node_.pass_time(10s);
  expect_held(node_.pass_with_memory(0_KiB), Reason::kUnexplainedJump);
  node_.pass_time(1ms);
  EXPECT_EQ(node_.pass_with_memory(12_GiB).outcome, Outcome::kNothingMet);
}

TEST_F(Implausible, AProcessThatFreesTwentyGibibytesAtOnceIsNoReasonToHold) {
  node_.see(Signal::kMemoryAvailable, (900_MiB).value, (64_GiB).value);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  node_.pass_time(1ms);
  node_.see(Signal::kMemoryAvailable, (21_GiB).value, (64_GiB).value);
  EXPECT_EQ(node_.pass().outcome, Outcome::kNothingMet);
}

TEST_F(Implausible, ALimitThatIsLoweredByHandIsNoJump) {
  node_.see(Signal::kMemoryAvailable, (12_GiB).value, (16_GiB).value);
  node_.pass();
  node_.pass_time(1ms);
  node_.see(Signal::kMemoryAvailable, (512_MiB).value, (4_GiB + 512_MiB).value);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
}

TEST_F(Implausible, StuckStatisticsAfterAReleaseHoldUntilTheyMove) {
  node_.pass_with_memory(900_MiB);
  ASSERT_EQ(node_.last().outcome, Outcome::kEvicted);
  brakes_.released_at = node_.now() + 50ms;
  node_.remove("big");
  node_.pass_time(60ms);
  expect_held(node_.pass_with_memory(900_MiB), Reason::kStatisticsStuck);
  node_.pass_time(60ms);
  expect_held(node_.pass_with_memory(900_MiB), Reason::kStatisticsStuck);
  node_.pass_time(60ms);
  EXPECT_EQ(node_.pass_with_memory(901_MiB).outcome, Outcome::kEvicted);
}

TEST_F(Implausible, StatisticsThatStayStuckHoldNoLongerThanARelease) {
  node_.pass_with_memory(900_MiB);
  brakes_.released_at = node_.now() + 50ms;
  node_.pass_time(1s);
  expect_held(node_.pass_with_memory(900_MiB), Reason::kStatisticsStuck);
  node_.pass_time(kStuckWait);
  EXPECT_EQ(node_.pass_with_memory(900_MiB).outcome, Outcome::kEvicted);
}

TEST_F(Implausible, StatisticsOfANodeAtRestMayStandStill) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(node_.pass_with_memory(900_MiB).outcome, Outcome::kEvicted);
    node_.pass_time(10s);
  }
}

TEST(NeverEvict, IsPassedOverByItsOwnRule) {
  Node node(one_hard_threshold());
  node.with(pod("database"), 8_GiB).with(pod("web"), 1_GiB);
  PodFacts spared = *node["database"].facts;
  spared.never_evict = true;
  node["database"].facts = &spared;
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
  EXPECT_EQ(node.victim(), "web");
  const auto ranking = rank_with_reasons(rank_rule(Signal::kMemoryAvailable, {}), node.pods());
  EXPECT_EQ(ranking[0].place, 1U);
  EXPECT_EQ(to_string(ranking[0].passed_over), "never_evict");
  node.remove("web");
  node.pass_time(10s);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kAllProtected);
}

TEST(Brakes, HoldNothingWhereNoneAreGiven) {
  Node node(one_hard_threshold());
  node.with(pod("web"), 1_GiB);
  node.see(Signal::kMemoryAvailable, 10, 5);
  EXPECT_EQ(node.pass().outcome, Outcome::kEvicted);
}

}  // namespace
}  // namespace evictd::eviction
