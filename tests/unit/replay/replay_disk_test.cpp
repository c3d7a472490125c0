// SPDX-License-Identifier: Apache-2.0
// Recordings of disk pressure and of limits on local storage.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "recorder.h"
#include "replay/what_if.h"

namespace evictd::replay::test {
namespace {

using eviction::Signal;

constexpr const char* kDiskYaml =
    "evictionHard:\n  nodefs.available: 1Gi\nhardEvictionGracePeriodSeconds: 0\n"
    "localStorageCapacityIsolation: true\n";

/// A pass that sees so much of 10 GiB; the pods hold so much on disk, the hog is gone with none.
RecordedPass disk_pass(MonoTime now, const std::string& trigger, Bytes available, Bytes hog,
                       Bytes web = 1_MiB) {
  RecordedPass pass;
  pass.now = now;
  pass.trigger = trigger;
  pass.observations.emplace();
  (*pass.observations)[Signal::kNodeFsAvailable] =
      eviction::Observation{.available = available.value, .capacity = (10_GiB).value, .time = now};
  const auto add = [&](std::size_t number, Bytes used) {
    RecordedPodPass pod = Recorder::pod(number, 10_MiB, 0);
    pod.reading.disk.volume_bytes = used.value;
    pass.pods.push_back(std::move(pod));
  };
  if (hog.value > 0) {
    add(0, hog);
  }
  add(1, web);
  return pass;
}

RecordedPass resumed(RecordedPass pass) {
  pass.resumed = true;
  return pass;
}

/// The hog fills 100 MiB a second. At 3 s too little is left; two seconds later collectors have
/// freed 20 MiB more than it wrote, which is not enough; then it goes, and so do its files.
Recorder disk_scenario() {
  Recorder recorder(kDiskYaml);
  recorder.run(disk_pass(at_ms(0), "request", 1300_MiB, 1000_MiB));
  recorder.run(disk_pass(at_ms(1000), "regular", 1200_MiB, 1100_MiB));
  EXPECT_EQ(recorder.run(disk_pass(at_ms(3000), "disk", 1000_MiB, 1300_MiB)).outcome,
            eviction::Outcome::kReclaiming);
  EXPECT_EQ(recorder.run(resumed(disk_pass(at_ms(5000), "disk", 1020_MiB, 1500_MiB))).outcome,
            eviction::Outcome::kEvicted);
  recorder.run(disk_pass(at_ms(6000), "release", 2520_MiB, 0_MiB));
  recorder.run(disk_pass(at_ms(20'000), "regular", 2520_MiB, 0_MiB));
  return recorder;
}

/// The hog with a limit of 5 MiB for its emptyDir.
RecordedPod limited_hog() {
  RecordedPod pod;
  pod.ns = "test";
  pod.name = "hog";
  pod.uid = "uid-hog";
  pod.facts.has_local_limits = true;
  pod.spec.emplace();
  eviction::Volume volume;
  volume.name = "cache";
  volume.empty_dir =
      eviction::EmptyDir{.medium = {}, .size_limit = eviction::Quantity::parse("5Mi").value()};
  pod.spec->volumes.push_back(volume);
  return pod;
}

/// It has `number` then, and exceeds its limit by 1 MiB.
RecordedPass over_limit_pass(std::int64_t ms, const char* trigger, std::size_t number) {
  RecordedPass pass = disk_pass(at_ms(ms), trigger, 8_GiB, 6_MiB);
  pass.pods[0].number = number;
  pass.pods[0].statistics.emplace();
  pass.pods[0].statistics->volumes.push_back(
      {.name = "cache", .use = {static_cast<std::uint64_t>((6_MiB).value), 1}});
  return pass;
}

/// The hog exceeds the limit of its emptyDir from 1 s on, which gives it another number.
Recorder local_scenario() {
  Recorder recorder(kDiskYaml);
  recorder.run(disk_pass(at_ms(0), "request", 8_GiB, 1_MiB));
  const std::size_t number = recorder.describe(limited_hog());
  EXPECT_EQ(recorder.run(over_limit_pass(1000, "disk", number)).local_victims.size(), 1U);
  recorder.run(disk_pass(at_ms(2000), "release", 8_GiB, 0_MiB));
  return recorder;
}

void expect_identical(const Recorder& recorder, std::uint64_t evictions) {
  const Result<Verification> verified = verify(recorder.recording());
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_FALSE(verified->difference)
      << verified->difference->what << ": " << verified->difference->recorded << " / "
      << verified->difference->replayed;
  EXPECT_EQ(verified->evictions, evictions);
}

TEST(ReplayOfDisks, ReclaimAndEvictionDecideByteForByteAsRecorded) {
  expect_identical(disk_scenario(), 1);
}

TEST(ReplayOfDisks, AnEvictionForALocalLimitDecidesByteForByteAsRecorded) {
  expect_identical(local_scenario(), 1);
}

TEST(ReplayOfDisks, AGapWhileCollectorsRunIsGoneOnFrom) {
  Recorder recorder(kDiskYaml);
  recorder.lose_a_pass(disk_pass(at_ms(0), "request", 1000_MiB, 1000_MiB));
  recorder.run(disk_pass(at_ms(1000), "regular", 900_MiB, 1100_MiB));
  recorder.run(resumed(disk_pass(at_ms(2000), "disk", 900_MiB, 1100_MiB)));
  expect_identical(recorder, 1);
}

/// Passes at regular times alone.
WhatIf polled(std::chrono::seconds interval) {
  WhatIf changes;
  changes.without_events = true;
  changes.interval = interval;
  return changes;
}

WhatIf with_config(const char* yaml) {
  WhatIf changes;
  changes.config = config::parse(yaml, "other").value();
  return changes;
}

Counterfactual result_of(const Recorder& recorder, const WhatIf& changes) {
  Result<Counterfactual> result = what_if(recorder.recording(), changes);
  EXPECT_TRUE(result) << result.error().message();
  return result ? std::move(*result) : Counterfactual{};
}

TEST(WhatIfOfDisks, TheSameSettingsGiveTheSamePodAtTheSameMoment) {
  WhatIf changes;
  changes.compat = eviction::Compat::k1_32;
  for (const Recorder& recorder : {disk_scenario(), local_scenario()}) {
    const Counterfactual result = result_of(recorder, changes);
    ASSERT_EQ(result.evictions.size(), 1U);
    ASSERT_TRUE(result.evictions[0].instead);
    EXPECT_EQ(result.evictions[0].later, Duration::zero());
  }
}

TEST(WhatIfOfDisks, CollectorsStillRunningAtTheEndAreNotTakenToFreeNothing) {
  Recorder recorder(kDiskYaml);
  EXPECT_EQ(recorder.run(disk_pass(at_ms(0), "request", 1000_MiB, 100_MiB)).outcome,
            eviction::Outcome::kReclaiming);
  EXPECT_EQ(recorder.run(disk_pass(at_ms(1000), "disk", 2000_MiB, 100_MiB)).outcome,
            eviction::Outcome::kNothingMet);
  WhatIf changes;
  changes.compat = eviction::Compat::k1_32;
  EXPECT_TRUE(result_of(recorder, changes).evictions.empty());
}

TEST(WhatIfOfDisks, APodThatLivesOnWritesOnAsItWasMeasuredTo) {
  const WhatIf changes = polled(std::chrono::seconds(10));
  const Counterfactual result = result_of(disk_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  const Comparison& line = result.evictions[0];
  ASSERT_TRUE(line.recorded);
  ASSERT_TRUE(line.instead);
  // Seen at 10 s; the collectors take two seconds, as they did.
  EXPECT_EQ(line.later, std::chrono::seconds(7));
  // Seven seconds of 100 MiB less than the 1020 MiB that were recorded.
  EXPECT_EQ(line.instead->available, (320_MiB).value);
  EXPECT_EQ(line.more_used, (700_MiB).value);
}

/// The hog is first measured when its disk is nearly full, and again a millisecond later.
TEST(WhatIfOfDisks, TwoMeasurementsThatBecameKnownTogetherTellNoRate) {
  Recorder recorder(kDiskYaml);
  RecordedPass unmeasured = disk_pass(at_ms(0), "request", 1300_MiB, 1_MiB);
  unmeasured.pods[0].reading.disk = {};
  recorder.run(unmeasured);
  recorder.run(disk_pass(at_ms(3000), "disk", 1000_MiB, 500_MiB));
  EXPECT_EQ(recorder.run(resumed(disk_pass(at_ms(3001), "disk", 1000_MiB, 900_MiB))).outcome,
            eviction::Outcome::kEvicted);
  recorder.run(disk_pass(at_ms(4000), "release", 1900_MiB, 0_MiB));
  recorder.run(disk_pass(at_ms(20'000), "regular", 1900_MiB, 0_MiB));
  const WhatIf changes = with_config("evictionHard:\n  nodefs.available: 900Mi\n");
  const Counterfactual result = result_of(recorder, changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  // 300 MiB had gone in three seconds, and 100 more have to.
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_GT(*result.evictions[0].later, std::chrono::milliseconds(900));
  EXPECT_LT(*result.evictions[0].later, std::chrono::milliseconds(1100));
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_NE(result.left_out[0].find("test/hog"), std::string::npos) << result.left_out[0];
}

TEST(WhatIfOfDisks, WhatWasCountedInPartIsNeitherWhatAPodHasNorItsRate) {
  Recorder recorder(kDiskYaml);
  recorder.run(disk_pass(at_ms(0), "request", 1300_MiB, 1000_MiB));
  recorder.run(disk_pass(at_ms(1000), "regular", 1200_MiB, 1100_MiB));
  recorder.run(disk_pass(at_ms(3000), "disk", 1000_MiB, 1300_MiB));
  RecordedPass counting = resumed(disk_pass(at_ms(5000), "disk", 1020_MiB, 10_MiB));
  counting.pods[0].disk_count = eviction::DiskCount::kPart;
  EXPECT_EQ(recorder.run(counting).outcome, eviction::Outcome::kEvicted);
  recorder.run(disk_pass(at_ms(6000), "release", 2320_MiB, 0_MiB));
  recorder.run(disk_pass(at_ms(20'000), "regular", 2320_MiB, 0_MiB));
  const WhatIf changes = polled(std::chrono::seconds(10));
  const Counterfactual result = result_of(recorder, changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  // Seven seconds of 100 MiB less than the 1020 MiB that were left.
  EXPECT_EQ(result.evictions[0].later, std::chrono::seconds(7));
  EXPECT_EQ(result.evictions[0].instead->available, (320_MiB).value);
}

/// The hog has filled 100 MiB a second all the time and was measured at 0 s and at 10 s; a pass for
/// another reason repeats what was read and measured 8.5 s before.
TEST(WhatIfOfDisks, WhatAPassRepeatsIsNoOlderMeasurementOfItsMoment) {
  Recorder recorder(kDiskYaml);
  recorder.run(disk_pass(at_ms(0), "request", 2000_MiB, 300_MiB));
  RecordedPass repeated = disk_pass(at_ms(8500), "crossing", 2000_MiB, 300_MiB);
  (*repeated.observations)[Signal::kNodeFsAvailable]->time = at_ms(0);
  recorder.run(repeated);
  recorder.run(disk_pass(at_ms(10'000), "disk", 1000_MiB, 1300_MiB));
  EXPECT_EQ(recorder.run(resumed(disk_pass(at_ms(10'000), "disk", 1000_MiB, 1300_MiB))).outcome,
            eviction::Outcome::kEvicted);
  recorder.run(disk_pass(at_ms(11'000), "release", 2300_MiB, 0_MiB));
  recorder.run(disk_pass(at_ms(30'000), "regular", 2300_MiB, 0_MiB));
  const WhatIf changes = with_config("evictionHard:\n  nodefs.available: 500Mi\n");
  const Counterfactual result = result_of(recorder, changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_GT(*result.evictions[0].later, std::chrono::milliseconds(4900));
  EXPECT_LT(*result.evictions[0].later, std::chrono::milliseconds(5100));
}

/// The hog has stood still and begun to fill 100 MiB a second at 58 s, as the filesystem says.
TEST(WhatIfOfDisks, WritesAfterAStandstillAreAsFastAsTheFilesystemFell) {
  Recorder recorder(kDiskYaml);
  for (const std::int64_t ms : {0, 20'000, 40'000, 58'000}) {
    recorder.run(disk_pass(at_ms(ms), "regular", 1200_MiB, 300_MiB));
  }
  recorder.run(disk_pass(at_ms(60'000), "disk", 1000_MiB, 500_MiB));
  EXPECT_EQ(recorder.run(resumed(disk_pass(at_ms(60'000), "disk", 1000_MiB, 500_MiB))).outcome,
            eviction::Outcome::kEvicted);
  recorder.run(disk_pass(at_ms(61'000), "release", 1500_MiB, 0_MiB));
  recorder.run(disk_pass(at_ms(90'000), "regular", 1500_MiB, 0_MiB));
  const WhatIf changes = with_config("evictionHard:\n  nodefs.available: 500Mi\n");
  const Counterfactual result = result_of(recorder, changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_GT(*result.evictions[0].later, std::chrono::milliseconds(4900));
  EXPECT_LT(*result.evictions[0].later, std::chrono::milliseconds(5100));
}

/// The files of both stay. The hog goes at 1 s and is awaited until 6 s, then web goes.
Recorder awaited_scenario() {
  Recorder recorder(kDiskYaml);
  const auto pass = [](std::int64_t ms, const char* trigger, Bytes hog) {
    return disk_pass(at_ms(ms), trigger, 1000_MiB, hog, 100_MiB);
  };
  const auto awaited = [](RecordedPass made) {
    made.releasing.push_back(
        {.killed_at = at_ms(1001), .memory = Bytes{0}, .tasks = 0, .disk = 300_MiB, .inodes = 1});
    return made;
  };
  recorder.run(disk_pass(at_ms(0), "request", 1300_MiB, 300_MiB, 100_MiB));
  recorder.run(pass(1000, "disk", 300_MiB));
  EXPECT_EQ(recorder.run(resumed(pass(1000, "disk", 300_MiB))).outcome,
            eviction::Outcome::kEvicted);
  for (std::int64_t ms = 2000; ms < 6000; ms += 1000) {
    EXPECT_EQ(recorder.run(awaited(pass(ms, "disk", 0_MiB))).outcome, eviction::Outcome::kHeld);
  }
  recorder.run(pass(6000, "release", 0_MiB));
  EXPECT_EQ(recorder.run(resumed(pass(6000, "disk", 0_MiB))).outcome, eviction::Outcome::kEvicted);
  recorder.run(disk_pass(at_ms(7000), "regular", 1000_MiB, 0_MiB, 100_MiB));
  return recorder;
}

TEST(WhatIfOfDisks, TheNextVictimGoesOnceTheLastOneIsReleasedAsItWas) {
  WhatIf changes;
  changes.interval = std::chrono::milliseconds(300);
  const Counterfactual result = result_of(awaited_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 2U);
  ASSERT_TRUE(result.evictions[1].recorded);
  EXPECT_EQ(result.evictions[1].recorded->uid, "uid-web");
  ASSERT_TRUE(result.evictions[1].instead);
  EXPECT_EQ(result.evictions[1].later, Duration::zero());
}

TEST(WhatIfOfDisks, AVictimThatGoesLaterIsAwaitedForAsLongAsItWas) {
  const WhatIf changes = polled(std::chrono::seconds(2));
  const Counterfactual result = result_of(awaited_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 2U);
  for (const Comparison& line : result.evictions) {
    ASSERT_TRUE(line.instead);
  }
  // Seen at 2 s; five seconds later it is released, which the pass at 8 s sees.
  EXPECT_EQ(result.evictions[0].later, std::chrono::seconds(1));
  EXPECT_EQ(result.evictions[1].later, std::chrono::seconds(2));
}

TEST(WhatIfOfDisks, VictimNotKilledInRecordingIsAwaitedForHalfAMinute) {
  Recorder recorder(kDiskYaml);
  recorder.run(disk_pass(at_ms(0), "request", 1300_MiB, 300_MiB, 100_MiB));
  recorder.run(disk_pass(at_ms(60'000), "regular", 1300_MiB, 300_MiB, 100_MiB));
  WhatIf changes = with_config(
      "evictionHard:\n  nodefs.available: 2Gi\n"
      "hardEvictionGracePeriodSeconds: 0\n");
  changes.interval = std::chrono::seconds(1);
  const Counterfactual result = result_of(recorder, changes);
  ASSERT_EQ(result.evictions.size(), 2U);
  ASSERT_TRUE(result.evictions[0].instead && result.evictions[1].instead);
  EXPECT_EQ(result.evictions[1].instead->at - result.evictions[0].instead->at,
            std::chrono::seconds(30));
  ASSERT_FALSE(result.left_out.empty());
  EXPECT_NE(result.left_out.back().find("30 s"), std::string::npos) << result.left_out.back();
}

/// The hog went for memory, which tells nothing of how long it would have held its disk.
TEST(WhatIfOfDisks, TheEndOfAPodThatWentForMemoryTellsNoReleaseOfItsDisk) {
  Recorder recorder(kYaml);
  const auto pass = [](std::int64_t ms, const char* trigger, Bytes free, Bytes hog) {
    RecordedPass made = disk_pass(at_ms(ms), trigger, 1300_MiB, hog, 100_MiB);
    (*made.observations)[Signal::kAllocatableMemoryAvailable] = eviction::Observation{
        .available = free.value, .capacity = (256_MiB).value, .time = at_ms(ms)};
    return made;
  };
  recorder.run(pass(0, "regular", 200_MiB, 300_MiB));
  EXPECT_EQ(recorder.run(pass(1000, "crossing", 20_MiB, 300_MiB)).outcome,
            eviction::Outcome::kEvicted);
  recorder.run(pass(2000, "release", 200_MiB, 0_MiB));
  recorder.run(pass(60'000, "regular", 200_MiB, 0_MiB));
  WhatIf changes = with_config(
      "evictionHard:\n  nodefs.available: 2Gi\n"
      "hardEvictionGracePeriodSeconds: 0\n");
  changes.interval = std::chrono::seconds(1);
  const Counterfactual result = result_of(recorder, changes);
  std::vector<MonoTime> moments;
  for (const Comparison& line : result.evictions) {
    if (line.instead) {
      moments.push_back(line.instead->at);
    }
  }
  ASSERT_EQ(moments.size(), 2U);
  EXPECT_EQ(std::max(moments[0], moments[1]) - std::min(moments[0], moments[1]),
            std::chrono::seconds(30));
}

TEST(WhatIfOfDisks, ALowerThresholdIsMetLaterAndNeedsNoPod) {
  const WhatIf changes = with_config("evictionHard:\n  nodefs.available: 100Mi\n");
  const Counterfactual result = result_of(disk_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  // Collectors are not run before, so 800 MiB are there at 5 s: 7 s more.
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_GT(*result.evictions[0].later, std::chrono::seconds(6));
}

TEST(WhatIfOfDisks, ALocalLimitIsSeenAtTheNextRegularPass) {
  const WhatIf changes = polled(std::chrono::seconds(10));
  const Counterfactual result = result_of(local_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  const Comparison& line = result.evictions[0];
  ASSERT_TRUE(line.recorded);
  EXPECT_EQ(line.recorded->local_limit, "emptydirfs.limit");
  ASSERT_TRUE(line.instead);
  EXPECT_EQ(line.instead->local_limit, "emptydirfs.limit");
  EXPECT_EQ(line.later, std::chrono::seconds(9));
}

TEST(WhatIfOfDisks, ADryRunChoosesAPodThatStaysOverItsLimitOnce) {
  Recorder recorder(kDiskYaml);
  recorder.run(disk_pass(at_ms(0), "request", 8_GiB, 1_MiB));
  const std::size_t number = recorder.describe(limited_hog());
  for (const std::int64_t ms : {1000, 11'000, 21'000}) {
    RecordedPass pass = over_limit_pass(ms, ms == 1000 ? "disk" : "regular", number);
    pass.dry_run = true;
    pass.pods[0].standing =
        ms == 1000 ? eviction::Standing::kActive : eviction::Standing::kInHardGrace;
    recorder.run(pass);
  }
  WhatIf changes;
  changes.interval = std::chrono::seconds(3);
  const Counterfactual result = result_of(recorder, changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_TRUE(result.evictions[0].recorded && result.evictions[0].instead);
}

TEST(WhatIfOfDisks, WithoutIsolationNobodyGoesForALocalLimit) {
  const WhatIf changes = with_config(
      "evictionHard:\n  nodefs.available: 1Gi\n"
      "localStorageCapacityIsolation: false\n");
  const Counterfactual result = result_of(local_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_FALSE(result.evictions[0].instead);
}

TEST(WhatIfOfDisks, WhatIsNotKnownIsNamed) {
  const WhatIf changes = with_config(
      "evictionHard:\n  nodefs.available: 1100Mi\n"
      "memoryAvailableSource: memAvailable\nnodefsPath: /elsewhere\n");
  const Counterfactual result = result_of(disk_scenario(), changes);
  ASSERT_EQ(result.left_out.size(), 2U);
  EXPECT_EQ(result.left_out[0].find("memoryAvailableSource"), 0U);
  EXPECT_EQ(result.left_out[1], "the filesystems stay those recorded");
}

}  // namespace
}  // namespace evictd::replay::test
