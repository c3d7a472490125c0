// SPDX-License-Identifier: Apache-2.0
// What would have been holds itself back as the pass does.
#include <gtest/gtest.h>

#include <string>

#include "recorder.h"
#include "replay/what_if.h"

namespace evictd::replay::test {
namespace {

using eviction::Reason;

/// A pass with brakes; the pods hold so much of 256 MiB, whoever holds nothing is gone.
RecordedPass braked_pass(MonoTime now, Bytes hog, Bytes web, eviction::Brakes brakes = {},
                         std::vector<MonoTime> recent = {}) {
  RecordedPass pass;
  pass.now = now;
  pass.trigger = "crossing";
  pass.observations.emplace();
  (*pass.observations)[eviction::Signal::kAllocatableMemoryAvailable] = eviction::Observation{
      .available = (256_MiB - hog - web).value, .capacity = (256_MiB).value, .time = now};
  if (hog.value > 0) {
    pass.pods.push_back(Recorder::pod(0, hog, 0));
  }
  if (web.value > 0) {
    pass.pods.push_back(Recorder::pod(1, web, 0));
  }
  pass.brakes = RecordedBrakes{.brakes = brakes, .recent = std::move(recent)};
  return pass;
}

/// Both pods have to go, one after the other.
Recorder two_evictions(eviction::Brakes brakes = {}) {
  Recorder recorder;
  recorder.run(braked_pass(at_ms(0), 20_MiB, 40_MiB, brakes));
  recorder.run(braked_pass(at_ms(1000), 153_MiB, 60_MiB, brakes));
  recorder.run(braked_pass(at_ms(2000), 0_MiB, 200_MiB, brakes, {at_ms(1000)}));
  recorder.run(braked_pass(at_ms(3000), 0_MiB, 0_MiB, brakes, {at_ms(1000), at_ms(2000)}));
  return recorder;
}

Counterfactual result_of(const Recorder& recorder, const std::string& yaml) {
  WhatIf changes;
  changes.config = config::parse(yaml, "other").value();
  Result<Counterfactual> result = what_if(recorder.recording(), changes);
  EXPECT_TRUE(result) << result.error().message();
  return result ? std::move(*result) : Counterfactual{};
}

std::size_t evictions_in(const Counterfactual& result) {
  std::size_t count = 0;
  for (const Comparison& line : result.evictions) {
    count += line.instead ? 1 : 0;
  }
  return count;
}

const std::string kNoFloor = std::string(kYaml) + "hardEvictionFloor: 0%\n";

TEST(WhatIfWithBrakes, FewerEvictionsAMinuteHoldTheSecondOne) {
  EXPECT_EQ(evictions_in(result_of(two_evictions(), kNoFloor)), 2U);

  const Counterfactual held = result_of(two_evictions(), kNoFloor + "maxEvictionsPerMinute: 1\n");

  EXPECT_EQ(evictions_in(held), 1U);
  EXPECT_GE(held.held.at("eviction_rate"), 1U);
}

TEST(WhatIfWithBrakes, EvictionsBeforeTheRecordingCount) {
  Recorder recorder;
  eviction::Brakes brakes;
  brakes.max_evictions_per_minute = 2;
  recorder.run(braked_pass(at_ms(0), 20_MiB, 40_MiB, brakes, {at_ms(-1000)}));
  recorder.run(braked_pass(at_ms(1000), 153_MiB, 60_MiB, brakes, {at_ms(-1000)}));

  const Counterfactual held = result_of(recorder, kNoFloor + "maxEvictionsPerMinute: 1\n");

  EXPECT_EQ(evictions_in(held), 0U);
}

TEST(WhatIfWithBrakes, NeverEvictByLabelPassesThePodOver) {
  const Counterfactual result =
      result_of(two_evictions(), kNoFloor + "neverEvict:\n  labels: [app=hog]\n");
  for (const Comparison& line : result.evictions) {
    EXPECT_TRUE(!line.instead || line.instead->uid == "uid-web");
  }
  EXPECT_GE(evictions_in(result), 1U);
}

TEST(WhatIfWithBrakes, ADryRunEndsNobodyAndWaits) {
  const Counterfactual result = result_of(two_evictions(), kNoFloor + "dryRun: true\n");
  ASSERT_EQ(evictions_in(result), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_TRUE(result.evictions[0].instead->dry_run);
  ASSERT_TRUE(result.evictions[0].recorded);
  EXPECT_FALSE(result.evictions[0].recorded->dry_run);
}

TEST(WhatIfWithBrakes, WhomARecordedDryRunChoseHasNoGraceWhereNobodyWasChosen) {
  // Chosen in a dry run at 60 MiB; then 20 MiB are left, and 15.
  Recorder recorder;
  const auto dry = [&](MonoTime now, Bytes hog, eviction::Standing standing) {
    RecordedPass pass = braked_pass(now, hog, 40_MiB, {}, {at_ms(-1000)});
    pass.dry_run = true;
    pass.pods[0].standing = standing;
    recorder.run(pass);
  };
  dry(at_ms(0), 20_MiB, eviction::Standing::kActive);
  dry(at_ms(1000), 156_MiB, eviction::Standing::kActive);
  dry(at_ms(2000), 196_MiB, eviction::Standing::kInHardGrace);
  dry(at_ms(3000), 201_MiB, eviction::Standing::kInHardGrace);

  const Counterfactual result = result_of(
      recorder,
      "evictionHard:\n  allocatableMemory.available: 35Mi\nhardEvictionGracePeriodSeconds: 0\n"
      "maxEvictionsPerMinute: 1\n");

  ASSERT_EQ(evictions_in(result), 1U);
  for (const Comparison& line : result.evictions) {
    EXPECT_FALSE(line.instead && line.instead->escalated) << "nobody gave it a grace";
  }
  EXPECT_GE(result.held.at("eviction_rate"), 1U);
}

RecordedPass dry_pass(std::int64_t ms, Bytes hog, eviction::Standing standing) {
  RecordedPass pass = braked_pass(at_ms(ms), hog, 40_MiB);
  pass.dry_run = true;
  pass.pods[0].standing = standing;
  return pass;
}

/// The recording begins when a dry run has chosen the hog already.
Recorder begun_in_a_dry_run() {
  Recorder recorder;
  for (const std::int64_t ms : {0, 1000, 2000}) {
    recorder.run(dry_pass(ms, 156_MiB, eviction::Standing::kInHardGrace));
  }
  return recorder;
}

TEST(WhatIfWithBrakes, VictimOfAnEarlierDryRunIsEvictedWithoutADryRun) {
  const Counterfactual result = result_of(begun_in_a_dry_run(), kNoFloor);
  ASSERT_EQ(evictions_in(result), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_EQ(result.evictions[0].instead->uid, "uid-hog");
  EXPECT_EQ(result.evictions[0].instead->at, at_ms(0));
  EXPECT_FALSE(result.evictions[0].instead->escalated);
}

TEST(WhatIfWithBrakes, WhomADryRunChoseBeforeTheRecordingIsNotChosenAgainInOne) {
  EXPECT_EQ(evictions_in(result_of(begun_in_a_dry_run(), kNoFloor + "dryRun: true\n")), 0U);
}

TEST(WhatIfWithBrakes, VictimOfBothDryRunsIsChosenAgainIfNothingMetSince) {
  // 60 MiB are left, then 90, and 60 again: below 64 twice, and below 100 all the time.
  Recorder recorder("evictionHard:\n  allocatableMemory.available: 100Mi\n");
  recorder.run(dry_pass(0, 156_MiB, eviction::Standing::kActive));
  recorder.run(dry_pass(1000, 126_MiB, eviction::Standing::kInHardGrace));
  recorder.run(dry_pass(2000, 156_MiB, eviction::Standing::kInHardGrace));
  WhatIf changes;
  changes.config = config::parse(kNoFloor + "dryRun: true\n", "other").value();
  changes.without_events = true;
  changes.interval = std::chrono::seconds(1);

  const Result<Counterfactual> result = what_if(recorder.recording(), changes);

  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(evictions_in(*result), 2U);
}

TEST(WhatIfWithBrakes, APauseHoldsAsItWasRecorded) {
  eviction::Brakes brakes;
  brakes.pauses.all = at_ms(1'000'000);
  Recorder recorder;
  recorder.run(braked_pass(at_ms(0), 20_MiB, 40_MiB, brakes));
  recorder.run(braked_pass(at_ms(1000), 153_MiB, 60_MiB, brakes));

  const Counterfactual result = result_of(recorder, kNoFloor);

  EXPECT_EQ(evictions_in(result), 0U);
  EXPECT_EQ(result.held.at("paused"), 1U);
}

TEST(WhatIfWithBrakes, AJumpThatNoRateExplainsIsDoubted) {
  eviction::Brakes brakes;
  brakes.growth.memory_per_second = 1_MiB;
  Recorder recorder;
  const auto pass = [&](std::int64_t ms, Bytes available) {
    RecordedPass made = braked_pass(at_ms(ms), 20_MiB, 40_MiB, brakes);
    (*made.observations)[eviction::Signal::kAllocatableMemoryAvailable] = eviction::Observation{
        .available = available.value, .capacity = (4_GiB).value, .time = at_ms(ms)};
    recorder.run(made);
  };
  pass(0, 4_GiB - 60_MiB);
  pass(1000, 10_MiB);

  const Counterfactual result = result_of(recorder, kNoFloor);

  EXPECT_EQ(evictions_in(result), 0U);
  EXPECT_EQ(result.held.count("unexplained_jump"), 1U);
}

}  // namespace
}  // namespace evictd::replay::test
