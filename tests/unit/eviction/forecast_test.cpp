// SPDX-License-Identifier: Apache-2.0
// What is decided by how long what is left will last: the grace, and the guard.
#include "eviction/forecast.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "builders.h"
#include "node.h"

namespace evictd::eviction {
namespace {

PassSettings hard_100mi() {
  PassSettings settings;
  settings.thresholds = thresholds({.hard = {{"memory.available", "100Mi"}},
                                    .soft = {},
                                    .soft_grace_period = {},
                                    .minimum_reclaim = {},
                                    .enforce_node_allocatable = {}});
  return settings;
}

/// A node with one hog, of which a second takes `rate`.
Node with_hog(const PassSettings& settings) {
  Node node(settings);
  node.with(pod("hog"), 900_MiB);
  node.with(pod("small").request("memory", "1Gi"), 10_MiB);
  return node;
}

const Decision& pass_with(Node& node, Bytes available, std::optional<Bytes> rate,
                          std::optional<KernelReserve> reserve = std::nullopt) {
  node.see(Signal::kMemoryAvailable, available.value, (16_GiB).value);
  Observation& seen = node.observation(Signal::kMemoryAvailable);
  seen.rate = rate ? std::optional(rate->value) : std::nullopt;
  seen.reserve = reserve;
  return node.pass();
}

KernelReserve reserve(Bytes left, Bytes rate) {
  return {.left = left.value, .rate = rate.value, .tight = (20_MiB).value};
}

std::optional<Duration> time_to_100mi(Bytes available, std::optional<Bytes> rate) {
  Observation seen{.available = available.value, .capacity = (16_GiB).value, .time = {}};
  seen.rate = rate ? std::optional(rate->value) : std::nullopt;
  return time_to_threshold(seen, (100_MiB).value);
}

TEST(TimeToThreshold, IsWhatIsLeftAtItsRate) {
  EXPECT_EQ(time_to_100mi(500_MiB, 100_MiB), 4s);
  EXPECT_EQ(time_to_100mi(100_MiB, 100_MiB), 0s) << "the next byte meets it";
}

TEST(TimeToThreshold, IsZeroOnceItIsMet) {
  EXPECT_EQ(time_to_100mi(99_MiB, 100_MiB), 0s);
  EXPECT_EQ(time_to_100mi(99_MiB, 0_MiB), 0s);
  EXPECT_EQ(time_to_100mi(99_MiB, std::nullopt), 0s);
}

TEST(TimeToThreshold, IsNoneWithoutAFall) {
  EXPECT_EQ(time_to_100mi(500_MiB, 0_MiB), std::nullopt);
  EXPECT_EQ(time_to_100mi(500_MiB, std::nullopt), std::nullopt);
}

TEST(TimeToThreshold, IsNoneBeyondAnHour) {
  EXPECT_EQ(time_to_100mi(3700_MiB, 1_MiB), 1h);
  EXPECT_EQ(time_to_100mi(3701_MiB, 1_MiB), std::nullopt);
}

TEST(CauseOfFall, IsThePodThatGrowsFastest) {
  const std::array<std::int64_t, 3> growth{20, 70, -90};
  EXPECT_EQ(cause_of_fall(growth, 100), 1U);
}

TEST(CauseOfFall, IsNoPodThatGrowsFarSlower) {
  EXPECT_EQ(cause_of_fall(std::array<std::int64_t, 2>{9, 0}, 100), std::nullopt);
  EXPECT_EQ(cause_of_fall(std::array<std::int64_t, 2>{10, 0}, 100), 0U);
}

TEST(CauseOfFall, IsNoneWithoutFallOrGrowth) {
  EXPECT_EQ(cause_of_fall(std::array<std::int64_t, 1>{50}, 0), std::nullopt);
  EXPECT_EQ(cause_of_fall(std::array<std::int64_t, 1>{0}, 5), std::nullopt);
  EXPECT_EQ(cause_of_fall({}, 100), std::nullopt);
}

TEST(PredictedGrace, IsCutToTheTimeThatIsLeft) {
  Node node = with_hog(hard_100mi());

  // 40 MiB above the floor, at 100 MiB a second.
  const Decision& decision = pass_with(node, 90_MiB, 100_MiB);
  EXPECT_EQ(decision.outcome, Outcome::kEvicted);
  EXPECT_EQ(decision.grace, 400ms - kGraceMargin);
  EXPECT_EQ(decision.grace_wanted, 1s);
  EXPECT_EQ(decision.time_left, 400ms);
}

TEST(PredictedGrace, IsNoneWhereThereIsNoTime) {
  Node node = with_hog(hard_100mi());

  const Decision& decision = pass_with(node, 60_MiB, 1_GiB);
  EXPECT_EQ(decision.grace, 0s);
  EXPECT_EQ(decision.grace_wanted, 1s);
  EXPECT_EQ(decision.time_left, 9ms);
}

TEST(PredictedGrace, IsWholeWhereThereIsTime) {
  Node node = with_hog(hard_100mi());

  const Decision& decision = pass_with(node, 90_MiB, 10_MiB);
  EXPECT_EQ(decision.grace, 1s);
  EXPECT_EQ(decision.time_left, 4s);
}

TEST(PredictedGrace, IsWholeWithoutARateOrGrowth) {
  for (const std::optional<Bytes> rate : {std::optional<Bytes>(), std::optional(Bytes{0})}) {
    Node node = with_hog(hard_100mi());
    const Decision& decision = pass_with(node, 60_MiB, rate);
    EXPECT_EQ(decision.grace, 1s);
    EXPECT_EQ(decision.time_left, std::nullopt);
  }
}

TEST(PredictedGrace, IsCutByTheGuardToo) {
  Node node = with_hog(hard_100mi());

  // Of 500 MiB, 100 are gone when the guard is due.
  const Decision& decision = pass_with(node, 90_MiB, std::nullopt, reserve(500_MiB, 1000_MiB));
  EXPECT_EQ(decision.grace, 400ms - kGraceMargin);
}

TEST(PredictedGrace, IsTheKubeletsUnderItsPolicy) {
  PassSettings settings = hard_100mi();
  settings.hard_grace_policy = GracePolicy::kKubelet;
  Node node = with_hog(settings);

  const Decision& decision = pass_with(node, 60_MiB, 1_GiB);
  EXPECT_EQ(decision.grace, 1s);
  EXPECT_EQ(decision.time_left, 9ms);
}

TEST(PredictedGrace, NeverLengthensOne) {
  PassSettings settings = hard_100mi();
  settings.hard_grace = 0s;
  Node node = with_hog(settings);

  EXPECT_EQ(pass_with(node, 90_MiB, 1_MiB).grace, 0s);
}

TEST(OomGuard, MeetsAThresholdThatIsNotReached) {
  Node node = with_hog(hard_100mi());

  const Decision& decision = pass_with(node, 110_MiB, 0_MiB, reserve(25_MiB, 300_MiB));
  EXPECT_EQ(decision.outcome, Outcome::kOomGuard);
  EXPECT_TRUE(decision.oom_guard);
  EXPECT_EQ(node.victim(), "hog");
  EXPECT_EQ(decision.grace, 0s);
  EXPECT_TRUE(decision.conditions.has(Condition::kMemoryPressure));
}

TEST(OomGuard, WaitsWhileThereIsTime) {
  Node node = with_hog(hard_100mi());

  const Decision& decision = pass_with(node, 110_MiB, 0_MiB, reserve(130_MiB, 300_MiB));
  EXPECT_EQ(decision.outcome, Outcome::kNothingMet);
  // Half of the 333 ms until it would be due, and before it is.
  ASSERT_TRUE(decision.next_deadline);
  EXPECT_LT(*decision.next_deadline, node.now() + 333ms);
  EXPECT_GT(*decision.next_deadline, node.now());
}

TEST(OomGuard, NeverActsWithoutGrowth) {
  Node node = with_hog(hard_100mi());

  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(0_MiB, 0_MiB)).outcome, Outcome::kNothingMet);
}

TEST(OomGuard, LooksFartherAheadWhereMemoryIsTight) {
  Node node = with_hog(hard_100mi());
  // 0.6 s of a growth that the kernel holds up.
  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(18_MiB, 30_MiB)).outcome, Outcome::kOomGuard);

  Node calm = with_hog(hard_100mi());
  EXPECT_EQ(pass_with(calm, 110_MiB, 0_MiB, reserve(22_MiB, 30_MiB)).outcome, Outcome::kNothingMet);
}

TEST(OomGuard, NeedsAHardThresholdOfTheNodesMemory) {
  for (const auto& texts : {ThresholdTexts{.hard = {{"nodefs.available", "1Gi"}},
                           .soft = {},
                           .soft_grace_period = {},
                           .minimum_reclaim = {},
                           .enforce_node_allocatable = {}},
                            ThresholdTexts{.hard = {},
                            .soft = {{"memory.available", "100Mi"}},
                            .soft_grace_period = {{"memory.available", "1s"}},
                            .minimum_reclaim = {},
                            .enforce_node_allocatable = {}}}) {
    PassSettings settings;
    settings.thresholds = thresholds(texts);
    Node node = with_hog(settings);
    EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(0_MiB, 300_MiB)).outcome,
              Outcome::kNothingMet);
  }
}

TEST(OomGuard, MayBeOff) {
  PassSettings settings = hard_100mi();
  settings.oom_guard = false;
  Node node = with_hog(settings);

  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(0_MiB, 300_MiB)).outcome, Outcome::kNothingMet);
}

TEST(OomGuard, DoesNotGoOnForAMinimumReclaim) {
  PassSettings settings;
  settings.thresholds = thresholds({.hard = {{"memory.available", "100Mi"}},
                                    .soft = {},
                                    .soft_grace_period = {},
                                    .minimum_reclaim = {{"memory.available", "500Mi"}},
                                    .enforce_node_allocatable = {}});
  Node node = with_hog(settings);
  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(10_MiB, 300_MiB)).outcome, Outcome::kOomGuard);

  node.pass_time(100ms);
  EXPECT_EQ(pass_with(node, 300_MiB, 0_MiB, reserve(200_MiB, 0_MiB)).outcome, Outcome::kNothingMet);
}

TEST(OomGuard, WaitsForWhatAVictimFrees) {
  Node node = with_hog(hard_100mi());
  node.releasing().push_back({.killed_at = node.now(), .memory = 800_MiB});

  const Decision& held = pass_with(node, 110_MiB, 0_MiB, reserve(20_MiB, 300_MiB));
  EXPECT_EQ(held.outcome, Outcome::kHeld);
  EXPECT_EQ(held.reason, Reason::kReleasePending);
  ASSERT_TRUE(held.next_deadline);
  EXPECT_LE(*held.next_deadline, node.now() + 10ms);
}

TEST(OomGuard, GoesOnWhenTheRestIsTakenMeanwhile) {
  Node node = with_hog(hard_100mi());
  node.releasing().push_back({.killed_at = node.now(), .memory = 800_MiB});
  pass_with(node, 110_MiB, 0_MiB, reserve(20_MiB, 300_MiB));

  node.pass_time(10ms);
  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(15_MiB, 300_MiB)).outcome, Outcome::kHeld);
  node.pass_time(10ms);
  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(8_MiB, 300_MiB)).outcome, Outcome::kOomGuard);
}

TEST(OomGuard, CutsAGraceThatIsRunning) {
  Node node = with_hog(hard_100mi());
  node["hog"].standing = Standing::kInHardGrace;

  const Decision& decision = pass_with(node, 90_MiB, 0_MiB, reserve(10_MiB, 300_MiB));
  EXPECT_EQ(decision.outcome, Outcome::kEscalated);
  EXPECT_EQ(decision.grace, 0s);
}

TEST(OomGuard, GoesBeyondTheRateOfEvictions) {
  Node node = with_hog(hard_100mi());
  Brakes brakes;
  brakes.max_evictions_per_minute = 1;
  const std::array<MonoTime, 1> recent{node.now()};
  brakes.recent = recent;
  node.input().brakes = &brakes;

  const Decision& decision = pass_with(node, 110_MiB, 0_MiB, reserve(10_MiB, 300_MiB));
  EXPECT_EQ(decision.outcome, Outcome::kOomGuard);
  EXPECT_EQ(decision.overruled, Reason::kEvictionRate);
}

TEST(OomGuard, SparesWhoIsProtected) {
  Node node(hard_100mi());
  node.with(pod("static").annotation("kubernetes.io/config.source", "file"), 900_MiB);

  EXPECT_EQ(pass_with(node, 110_MiB, 0_MiB, reserve(10_MiB, 300_MiB)).victim, std::nullopt);
}

}  // namespace
}  // namespace evictd::eviction
