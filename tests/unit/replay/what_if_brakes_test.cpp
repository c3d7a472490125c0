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
