// SPDX-License-Identifier: Apache-2.0
// One rule of the pass at a time.
#include <gtest/gtest.h>

#include <type_traits>

#include "builders.h"
#include "node.h"

namespace evictd::eviction {
namespace {

// A step of the wall clock cannot reach a grace or transition period: a pass takes no such time,
// and none becomes the other without being asked.
static_assert(std::is_invocable_v<decltype(&EvictionManager::synchronize), EvictionManager&,
                                  MonoTime, const PassInput&>);
static_assert(!std::is_invocable_v<decltype(&EvictionManager::synchronize), EvictionManager&,
                                   WallTime, const PassInput&>);
static_assert(!std::is_convertible_v<WallTime, MonoTime>);
static_assert(!std::is_constructible_v<MonoTime, WallTime>);

PassSettings settings_with(const ThresholdTexts& texts) {
  PassSettings settings;
  settings.thresholds = thresholds(texts);
  settings.pressure_transition_period = 5min;
  settings.max_pod_grace = 5s;
  return settings;
}

ThresholdTexts hard_memory(std::string amount) {
  ThresholdTexts texts;
  texts.hard = {{"memory.available", std::move(amount)}};
  return texts;
}

ThresholdTexts soft_memory(std::string amount, std::string grace) {
  ThresholdTexts texts;
  texts.soft = {{"memory.available", std::move(amount)}};
  texts.soft_grace_period = {{"memory.available", std::move(grace)}};
  return texts;
}

TEST(Threshold, IsNotMetAtEquality) {
  Node node(settings_with(hard_memory("1Gi")));
  node.with(pod("web"), 1_MiB);

  EXPECT_EQ(node.pass_with_memory(1_GiB).outcome, Outcome::kNothingMet);
  node.pass_time(1s);
  EXPECT_EQ(node.pass_with_memory(1_GiB - Bytes{1}).outcome, Outcome::kEvicted);
}

TEST(GracePeriod, IsOverAtEquality) {
  Node node(settings_with(soft_memory("1Gi", "2m")));
  node.with(pod("web"), 1_MiB);
  node.pass_with_memory(1_MiB);

  node.pass_time(2min - 1ns);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kInGrace);
  node.pass_time(1ns);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

TEST(GracePeriod, StartsAnewWhenTheSignalRecovers) {
  Node node(settings_with(soft_memory("1Gi", "2m")));
  node.with(pod("web"), 1_MiB);
  node.pass_with_memory(1_MiB);
  node.pass_time(1min);
  node.pass_with_memory(2_GiB);
  node.pass_time(1min);

  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kInGrace);
}

TEST(GracePeriod, IsNotResetByAnEventAlone) {
  Node node(settings_with(soft_memory("1Gi", "2m")));
  node.with(pod("web"), 1_MiB);
  node.pass_with_memory(1_MiB);
  node.pass_time(1min);
  node.input().cadence = Cadence::kEventOnly;
  EXPECT_EQ(node.pass_with_memory(2_GiB).outcome, Outcome::kNothingMet);
  node.input().cadence = Cadence::kRegular;
  node.pass_time(1min);

  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

TEST(GracePeriod, EndIsTheNextDeadline) {
  Node node(settings_with(soft_memory("1Gi", "2m")));
  const MonoTime start = node.now();
  node.pass_with_memory(1_MiB);
  node.pass_time(30s);

  EXPECT_EQ(node.pass_with_memory(1_MiB).next_deadline, start + 2min);
}

TEST(Conditions, StayForTheTransitionPeriodAndNoLonger) {
  Node node(settings_with(hard_memory("1Gi")));
  const MonoTime start = node.now();
  node.pass_with_memory(1_MiB);
  node.pass_time(1s);
  EXPECT_EQ(node.pass_with_memory(2_GiB).next_deadline, start + 5min);

  node.pass_time(5min - 1s - 1ns);
  EXPECT_TRUE(node.pass_with_memory(2_GiB).conditions.has(Condition::kMemoryPressure));
  node.pass_time(1ns);
  EXPECT_TRUE(node.pass_with_memory(2_GiB).conditions.empty());
  EXPECT_EQ(node.last().next_deadline, std::nullopt);
}

TEST(Conditions, AreNeverReportedWithAPeriodOfZero) {
  PassSettings settings = settings_with(hard_memory("1Gi"));
  settings.pressure_transition_period = 0s;
  Node node(settings);

  EXPECT_TRUE(node.pass_with_memory(1_MiB).conditions.empty());
}

TEST(Statistics, ThatAreNotNewerAreNotActedOn) {
  Node node(settings_with(hard_memory("1Gi")));
  node.with(pod("web"), 1_MiB);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);

  EXPECT_EQ(node.pass().outcome, Outcome::kStale);
  EXPECT_TRUE(node.last().conditions.has(Condition::kMemoryPressure));
}

TEST(Statistics, OfUnknownAgeAreActedOn) {
  Node node(settings_with(hard_memory("1Gi")));
  node.with(pod("web"), 1_MiB);
  Observations seen;
  seen[Signal::kMemoryAvailable] = Observation{0, (16_GiB).value, std::nullopt};
  PassInput input;
  input.observations = &seen;
  input.pods = node.pods();

  EXPECT_EQ(node.manager().synchronize(node.now(), input).outcome, Outcome::kEvicted);
  EXPECT_EQ(node.manager().synchronize(node.now(), input).outcome, Outcome::kEvicted);
}

TEST(Statistics, ThatCannotBeReadFailThePassAndChangeNothing) {
  Node node(settings_with(hard_memory("1Gi")));
  node.pass_with_memory(1_MiB);
  const PassState before = node.manager().state();
  PassInput input;

  const Decision& decision = node.manager().synchronize(node.now() + 1s, input);

  EXPECT_EQ(decision.outcome, Outcome::kFailed);
  EXPECT_EQ(decision.reason, Reason::kNoStatistics);
  EXPECT_TRUE(decision.conditions.has(Condition::kMemoryPressure));
  EXPECT_EQ(node.manager().state(), before);
}

TEST(MinimumReclaim, KeepsAThresholdThatWasActedOnMet) {
  ThresholdTexts texts = hard_memory("1Gi");
  texts.minimum_reclaim = {{"memory.available", "500Mi"}};
  Node node(settings_with(texts));
  node.with(pod("web"), 1_MiB);

  EXPECT_EQ(node.pass_with_memory(1200_MiB).outcome, Outcome::kNothingMet);
  node.pass_time(1s);
  node.pass_with_memory(1000_MiB);
  node.pass_time(1s);
  EXPECT_EQ(node.pass_with_memory(1200_MiB).outcome, Outcome::kEvicted);
  node.pass_time(1s);
  EXPECT_EQ(node.pass_with_memory(1524_MiB).outcome, Outcome::kNothingMet);
}

TEST(Thresholds, AreActedOnMemoryFirstThenPidsThenDisk) {
  ThresholdTexts texts;
  texts.hard = {{"nodefs.available", "1Gi"}, {"pid.available", "100"}, {"memory.available", "1Gi"}};
  Node node(settings_with(texts));
  node.see(Signal::kNodeFsAvailable, 0, 100);
  node.see(Signal::kPidAvailable, 0, 100);
  node.see(Signal::kMemoryAvailable, 0, 100);
  node.pass();

  std::vector<Signal> order;
  for (const std::size_t place : node.last().actionable) {
    order.push_back(node.manager().thresholds()[place].signal);
  }

  EXPECT_EQ(order, (std::vector{Signal::kMemoryAvailable, Signal::kPidAvailable,
                                Signal::kNodeFsAvailable}));
}

TEST(Candidates, ThatAreProtectedAreNeverChosen) {
  Node node(settings_with(hard_memory("1Gi")));
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kNoCandidates);

  node.with(pod("static").annotation("kubernetes.io/config.source", "file"), 1_GiB)
      .with(pod("mirror").annotation("kubernetes.io/config.mirror", "x"), 1_GiB)
      .with(pod("critical").priority(kCriticalPriority), 1_GiB)
      .with(pod("unknown"), 1_GiB)
      .with(pod("not-read"), 1_GiB);
  node["unknown"].standing = Standing::kUnknown;
  node["not-read"].reading.state = ReadingState::kNotReadYet;
  node.pass_time(1s);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kAllProtected);

  node.with(pod("ordinary").priority(kCriticalPriority - 1), 1_MiB);
  node.pass_time(1s);
  node.pass_with_memory(1_MiB);
  EXPECT_EQ(node.victim(), "ordinary");
}

TEST(Candidates, AreNotWhatNoSourceOfPodsKnows) {
  Node node(settings_with(hard_memory("1Gi")));
  node.with(pod("unknown"), 1_GiB);
  node["unknown"].standing = Standing::kUnknown;
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kNoCandidates);
}

TEST(WatchPoints, AreRefreshedAfterMoreThanTenSeconds) {
  Node node(settings_with(hard_memory("1Gi")));
  EXPECT_TRUE(node.pass_with_memory(2_GiB).refresh_watch_points);
  node.pass_time(10s);
  EXPECT_FALSE(node.pass_with_memory(2_GiB).refresh_watch_points);
  node.pass_time(1ns);
  EXPECT_TRUE(node.pass_with_memory(2_GiB).refresh_watch_points);
}

TEST(GracePeriod, ThatEndsBeyondTheClockIsNeverOver) {
  Node node(settings_with(soft_memory("1Gi", "2562047h47m16s")));
  node.with(pod("web"), 1_MiB);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kInGrace);
  EXPECT_EQ(node.last().next_deadline, MonoTime::max());
  node.pass_time(24h);
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kInGrace);
}

TEST(TransitionPeriod, ThatEndsBeyondTheClockNeverEnds) {
  PassSettings settings = settings_with(hard_memory("1Gi"));
  settings.pressure_transition_period = Duration::max();
  Node node(settings);
  node.pass_with_memory(1_MiB);
  node.pass_time(24h);
  EXPECT_TRUE(node.pass_with_memory(2_GiB).conditions.has(Condition::kMemoryPressure));
  EXPECT_EQ(node.last().next_deadline, MonoTime::max());
}

TEST(EvictionManager, RefusesMoreThresholdsThanItHasRoomFor) {
  PassSettings settings;
  settings.thresholds.resize(kMaxThresholds);

  EXPECT_EQ(EvictionManager::create(settings).error().code, Errc::kInvalid);
}

TEST(EvictionManager, GoesOnFromAKeptState) {
  const PassSettings settings = settings_with(soft_memory("1Gi", "2m"));
  Node before(settings);
  before.pass_with_memory(1_MiB);
  Node after(settings);
  after.with(pod("web"), 1_MiB);
  after.manager().restore(before.manager().state());

  after.pass_time(2min);

  EXPECT_EQ(after.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

TEST(EvictionManager, KeepsTimersOfThresholdsThatAReloadRetains) {
  Node before(settings_with(soft_memory("1Gi", "2m")));
  before.pass_with_memory(1_MiB);
  ThresholdTexts texts = soft_memory("1Gi", "2m");
  texts.hard = {{"nodefs.available", "5%"}};
  Node after(settings_with(texts));
  after.with(pod("web"), 1_MiB);
  after.manager().inherit(before.manager());
  EXPECT_TRUE(after.manager().state().conditions.has(Condition::kMemoryPressure));

  after.pass_time(2min);

  EXPECT_EQ(after.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

}  // namespace
}  // namespace evictd::eviction
