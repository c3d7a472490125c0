// SPDX-License-Identifier: Apache-2.0
// When it would have been, and what would have come before.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "recorder.h"
#include "replay/what_if.h"

namespace evictd::replay::test {
namespace {

Counterfactual what_if_of(const Recorder& recorder, const WhatIf& changes) {
  Result<Counterfactual> result = what_if(recorder.recording(), changes);
  EXPECT_TRUE(result) << result.error().message();
  return result ? std::move(*result) : Counterfactual{};
}

WhatIf only_every(Duration interval) {
  WhatIf changes;
  changes.without_events = true;
  changes.interval = interval;
  return changes;
}

RecordedPass with_rate_read(RecordedPass pass) {
  pass.pods[0].usage.read_at = pass.now;
  return pass;
}

/// It grew to 200 MiB and held still before it was evicted: that is the rate that was read.
TEST(WhatIfTime, APodThatHeldStillGrowsNoFurther) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.run(with_rate_read(Recorder::memory_pass(at_ms(3000), "crossing", 200_MiB, 40_MiB)));
  recorder.pass(at_ms(3010), "release", 0_MiB, 40_MiB);

  const Counterfactual result = what_if_of(recorder, only_every(std::chrono::seconds(10)));

  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_EQ(result.evictions[0].later, std::chrono::seconds(7));
  EXPECT_EQ(result.evictions[0].more_used, 0);
  EXPECT_FALSE(result.evictions[0].oom_first);
}

/// It began to grow after its rate had been worked out for the last time.
TEST(WhatIfTime, APodThatGrewRightBeforeGrowsOnWhateverItsLastRate) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.run(with_rate_read(Recorder::memory_pass(at_ms(990), "approach", 143_MiB, 40_MiB)));
  recorder.run(with_rate_read(Recorder::memory_pass(at_ms(1000), "crossing", 153_MiB, 40_MiB)));
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);

  const Counterfactual result = what_if_of(recorder, only_every(std::chrono::seconds(10)));

  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].oom_first);
  EXPECT_LT(result.evictions[0].oom_first->at, at_ms(1100));
}

TEST(WhatIfTime, PassAfterAReloadIsNamedByThresholdsThenInForce) {
  Recorder recorder("evictionHard:\n  pid.available: \"10\"\n");
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.reload(kYaml);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, (1024_MiB).value);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);
  WhatIf changes;
  changes.compat = eviction::Compat::k1_26;

  const Counterfactual result = what_if_of(recorder, changes);

  ASSERT_FALSE(result.evictions.empty());
  ASSERT_TRUE(result.evictions[0].recorded);
  EXPECT_EQ(result.evictions[0].recorded->signal, "allocatableMemory.available");
  EXPECT_EQ(result.evictions[0].recorded->threshold, "64Mi");
  EXPECT_EQ(result.evictions[0].recorded->available, (63_MiB).value);
}

/// Both pods are evicted in the recording, one after the other; the first one grows by 1 GiB a
/// second when its time has come, so that nothing is left when the second one's has.
Recorder one_after_the_other() {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, (1024_MiB).value);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);
  recorder.pass(at_ms(2000), "crossing", 0_MiB, 193_MiB);
  return recorder;
}

TEST(WhatIfTime, WhoBeginsToWaitWhenNothingIsLeftHasTheOomKillerFirst) {
  const Counterfactual result =
      what_if_of(one_after_the_other(), only_every(std::chrono::seconds(10)));

  ASSERT_EQ(result.evictions.size(), 2U);
  const Comparison& web = result.evictions[1];
  ASSERT_TRUE(web.recorded);
  EXPECT_EQ(web.recorded->uid, "uid-web");
  ASSERT_TRUE(web.oom_first);
  EXPECT_EQ(web.oom_first->at, web.recorded->at);
}

/// In a dry run the hog would go at 1 s, and is back below the threshold at 3 s, the end.
Recorder dry_run_of_three_seconds() {
  Recorder recorder;
  const auto run = [&recorder](RecordedPass pass) {
    pass.dry_run = true;
    recorder.run(std::move(pass));
  };
  run(Recorder::memory_pass(at_ms(0), "request", 20_MiB, 40_MiB));
  run(Recorder::memory_pass(at_ms(1000), "crossing", 153_MiB, 40_MiB));
  run(Recorder::memory_pass(at_ms(3000), "request", 20_MiB, 40_MiB));
  return recorder;
}

TEST(WhatIfTime, ARecordingThatEndsBeforeAnotherPassSaysNothingOfThePod) {
  const Counterfactual result =
      what_if_of(dry_run_of_three_seconds(), only_every(std::chrono::seconds(10)));

  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].recorded);
  EXPECT_FALSE(result.evictions[0].instead);
  EXPECT_EQ(result.evictions[0].cut_off, std::chrono::seconds(2));
}

TEST(WhatIfTime, APassThatEvictsNobodyIsNoEndOfTheRecording) {
  const Counterfactual result =
      what_if_of(dry_run_of_three_seconds(), only_every(std::chrono::milliseconds(1500)));

  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_FALSE(result.evictions[0].instead);
  EXPECT_FALSE(result.evictions[0].cut_off);
}

WhatIf with_config(const std::string& yaml) {
  WhatIf changes;
  changes.config = config::parse(yaml, "other").value();
  return changes;
}

std::string with_grace(int seconds) {
  return "evictionHard:\n  allocatableMemory.available: 64Mi\nhardEvictionGracePeriodSeconds: " +
         std::to_string(seconds) + "\n";
}

/// The hog crosses at 1 s with 1 GiB a second and 63 MiB left, and is gone at `gone_ms`.
Recorder one_hog(const std::string& yaml, std::int64_t gone_ms) {
  Recorder recorder(yaml);
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, (1024_MiB).value);
  recorder.pass(at_ms(gone_ms), "release", 0_MiB, 40_MiB);
  return recorder;
}

double seconds_between(MonoTime from, MonoTime to) {
  return std::chrono::duration<double>(to - from).count();
}

TEST(WhatIfTime, ALongerGraceLetsThePodGrowUntilTheOomKillerComes) {
  const Counterfactual result =
      what_if_of(one_hog(kYaml, 1010), with_config(with_grace(30) + "hardEvictionFloor: 0%\n"));

  ASSERT_EQ(result.evictions.size(), 1U);
  const Comparison& line = result.evictions[0];
  EXPECT_EQ(line.later, Duration::zero());
  ASSERT_TRUE(line.instead);
  EXPECT_EQ(line.instead->grace, std::chrono::seconds(30));
  ASSERT_TRUE(line.oom_first);
  EXPECT_NEAR(seconds_between(line.recorded->at, line.oom_first->at), 63.0 / 1024, 0.001);
}

TEST(WhatIfTime, ALongerGraceIsCutAtTheFloor) {
  const Counterfactual result = what_if_of(one_hog(kYaml, 1010), with_config(with_grace(30)));

  ASSERT_EQ(result.evictions.size(), 2U);
  EXPECT_EQ(result.evictions[0].later, Duration::zero());
  EXPECT_FALSE(result.evictions[0].oom_first);
  const Comparison& cut = result.evictions[1];
  EXPECT_FALSE(cut.recorded);
  ASSERT_TRUE(cut.instead);
  EXPECT_TRUE(cut.instead->escalated);
  // Half of the threshold.
  EXPECT_NEAR(seconds_between(at_ms(1000), cut.instead->at), 31.0 / 1024, 0.001);
}

TEST(WhatIfTime, WhoIsChosenBelowTheFloorLosesItsGraceAtOnce) {
  const Counterfactual result =
      what_if_of(one_hog(kYaml, 1010), with_config(with_grace(30) + "hardEvictionFloor: 100%\n"));

  ASSERT_EQ(result.evictions.size(), 2U);
  ASSERT_TRUE(result.evictions[1].instead);
  EXPECT_TRUE(result.evictions[1].instead->escalated);
  EXPECT_LT(seconds_between(at_ms(1000), result.evictions[1].instead->at), 0.001);
}

/// 63 MiB are available at 1 s, of which the kernel has 40 to give; the floor is 32.
TEST(WhatIfTime, LongerGraceIsCutIfTheKernelHasLessThanTheFloor) {
  const std::string threshold = "evictionHard:\n  memory.available: 64Mi\n";
  Recorder recorder(threshold + "hardEvictionGracePeriodSeconds: 0\n");
  const auto pass = [](std::int64_t ms, Bytes hog) {
    RecordedPass made = Recorder::memory_pass(at_ms(ms), "crossing", hog, 40_MiB, 1 << 30);
    auto& observations = *made.observations;
    std::swap(observations[eviction::Signal::kMemoryAvailable],
              observations[eviction::Signal::kAllocatableMemoryAvailable]);
    return made;
  };
  recorder.run(pass(0, 20_MiB));
  RecordedPass crossing = pass(1000, 153_MiB);
  (*crossing.observations)[eviction::Signal::kMemoryAvailable]->kernel_available = (40_MiB).value;
  recorder.run(crossing);
  recorder.run(pass(1010, 0_MiB));

  const Counterfactual result =
      what_if_of(recorder, with_config(threshold + "hardEvictionGracePeriodSeconds: 30\n"));

  ASSERT_EQ(result.evictions.size(), 2U);
  ASSERT_TRUE(result.evictions[1].instead);
  EXPECT_TRUE(result.evictions[1].instead->escalated);
  EXPECT_NEAR(seconds_between(at_ms(1000), result.evictions[1].instead->at), 8.0 / 1024, 0.001);
}

TEST(WhatIfTime, WhoLeftBeforeItsGraceWasOverLeavesALongerOneToo) {
  const Counterfactual result = what_if_of(one_hog(with_grace(10), 1200),
                                           with_config(with_grace(30) + "hardEvictionFloor: 0%\n"));

  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_EQ(result.evictions[0].instead->grace, std::chrono::seconds(30));
  EXPECT_FALSE(result.evictions[0].oom_first);
}

/// 196 MiB are left at 0 s and 63 MiB at 1 s.
TEST(WhatIfTime, HigherThresholdsCrossingIsInterpolatedLinearly) {
  const std::string higher =
      "evictionHard:\n  allocatableMemory.available: 128Mi\nhardEvictionGracePeriodSeconds: 0\n";
  const Counterfactual result = what_if_of(one_hog(kYaml, 1010), with_config(higher));

  ASSERT_EQ(result.evictions.size(), 1U);
  const Comparison& line = result.evictions[0];
  ASSERT_TRUE(line.instead);
  EXPECT_EQ(line.instead->uid, "uid-hog");
  EXPECT_NEAR(seconds_between(at_ms(0), line.instead->at), 68.0 / 133, 0.001);
  ASSERT_TRUE(line.more_used);
  EXPECT_NEAR(static_cast<double>(*line.more_used), static_cast<double>((-65_MiB).value), 1e6);
  EXPECT_FALSE(line.oom_first);
}

TEST(WhatIfTime, APodThatCameBetweenTwoPassesIsThereInBetween) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 0_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, (1024_MiB).value);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);
  const std::string higher =
      "evictionHard:\n  allocatableMemory.available: 128Mi\nhardEvictionGracePeriodSeconds: 0\n";

  const Counterfactual result = what_if_of(recorder, with_config(higher));

  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_EQ(result.evictions[0].instead->uid, "uid-hog");
  EXPECT_LT(*result.evictions[0].later, -std::chrono::milliseconds(400));
}

/// A pass at which three pods hold so much; whoever holds nothing is gone.
RecordedPass pass_of_three(MonoTime now, Bytes hog, Bytes web, Bytes third) {
  RecordedPass pass = Recorder::memory_pass(now, "crossing", hog, web);
  if (web.value == 0) {
    pass.pods.pop_back();
  }
  if (third.value > 0) {
    pass.pods.push_back(Recorder::pod(2, third, 0));
  }
  (*pass.observations)[eviction::Signal::kAllocatableMemoryAvailable]->available -= third.value;
  return pass;
}

TEST(WhatIfTime, EachOfSeveralPodsThatLiveOnHasItsTurn) {
  Recorder recorder;
  RecordedPod third;
  third.ns = "test";
  third.name = "third";
  third.uid = "uid-third";
  recorder.describe(third);
  recorder.run(pass_of_three(at_ms(0), 20_MiB, 30_MiB, 10_MiB));
  recorder.run(pass_of_three(at_ms(1000), 153_MiB, 30_MiB, 10_MiB));
  recorder.run(pass_of_three(at_ms(2000), 0_MiB, 183_MiB, 10_MiB));
  recorder.run(pass_of_three(at_ms(3000), 0_MiB, 0_MiB, 193_MiB));
  recorder.run(pass_of_three(at_ms(3010), 0_MiB, 0_MiB, 0_MiB));

  const Counterfactual result = what_if_of(recorder, only_every(std::chrono::seconds(10)));

  ASSERT_EQ(result.evictions.size(), 3U);
  for (const Comparison& line : result.evictions) {
    ASSERT_TRUE(line.recorded);
    EXPECT_TRUE(line.instead) << line.recorded->name;
  }
}

TEST(WhatIfTime, APodThatGrowsSlowlyIsFollowedUntilItIsEvicted) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, 209715);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);
  const std::string lower =
      "evictionHard:\n  allocatableMemory.available: 33Mi\nhardEvictionGracePeriodSeconds: 0\n";

  const Counterfactual result = what_if_of(recorder, with_config(lower));

  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].later);
  EXPECT_NEAR(std::chrono::duration<double>(*result.evictions[0].later).count(), 150, 0.1);
}

TEST(WhatIfTime, MemoryThatIsUsedUpByAPodThatNobodyMayEvictIsTold) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, (1_MiB).value);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);

  const Counterfactual result =
      what_if_of(recorder, with_config(std::string(kYaml) + "neverEvict:\n  namespaces: [test]\n"));

  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_FALSE(result.evictions[0].instead);
  ASSERT_TRUE(result.evictions[0].oom_first);
  EXPECT_NEAR(seconds_between(at_ms(1000), result.evictions[0].oom_first->at), 63, 0.1);
}

/// It is gone in the second pass of the same moment; a second later web uses everything up.
TEST(WhatIfTime, AnOomKillerThatCameLaterIsNotToldOfAPodThatWasGone) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "release", 0_MiB, 40_MiB);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);
  recorder.pass(at_ms(2000), "crossing", 0_MiB, 256_MiB);

  const Counterfactual result = what_if_of(recorder, only_every(std::chrono::seconds(10)));

  ASSERT_EQ(result.evictions.size(), 2U);
  ASSERT_TRUE(result.evictions[0].recorded);
  EXPECT_EQ(result.evictions[0].recorded->uid, "uid-hog");
  EXPECT_FALSE(result.evictions[0].oom_first);
  EXPECT_TRUE(result.evictions[1].oom_first);
}

}  // namespace
}  // namespace evictd::replay::test
