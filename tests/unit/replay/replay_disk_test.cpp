// SPDX-License-Identifier: Apache-2.0
// Recordings of disk pressure and of limits on local storage.
#include <gtest/gtest.h>

#include <string>

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

/// The hog exceeds the limit of its emptyDir from 1 s on, which gives it another number.
Recorder local_scenario() {
  Recorder recorder(kDiskYaml);
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
  recorder.run(disk_pass(at_ms(0), "request", 8_GiB, 1_MiB));
  const std::size_t number = recorder.describe(pod);
  RecordedPass pass = disk_pass(at_ms(1000), "disk", 8_GiB, 6_MiB);
  pass.pods[0].number = number;
  pass.pods[0].statistics.emplace();
  pass.pods[0].statistics->volumes.push_back(
      {.name = "cache", .use = {static_cast<std::uint64_t>((6_MiB).value), 1}});
  EXPECT_EQ(recorder.run(pass).local_victims.size(), 1U);
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

TEST(WhatIfOfDisks, APodThatLivesOnWritesOnAsItWasMeasuredTo) {
  WhatIf changes;
  changes.without_events = true;
  changes.interval = std::chrono::seconds(10);
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

TEST(WhatIfOfDisks, ALowerThresholdIsMetLaterAndNeedsNoPod) {
  WhatIf changes;
  changes.config = config::parse("evictionHard:\n  nodefs.available: 100Mi\n", "other").value();
  const Counterfactual result = result_of(disk_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  // Collectors are not run before, so 800 MiB are there at 5 s: 7 s more.
  ASSERT_TRUE(result.evictions[0].instead);
  EXPECT_GT(*result.evictions[0].later, std::chrono::seconds(6));
}

TEST(WhatIfOfDisks, ALocalLimitIsSeenAtTheNextRegularPass) {
  WhatIf changes;
  changes.without_events = true;
  changes.interval = std::chrono::seconds(10);
  const Counterfactual result = result_of(local_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  const Comparison& line = result.evictions[0];
  ASSERT_TRUE(line.recorded);
  EXPECT_EQ(line.recorded->local_limit, "emptydirfs.limit");
  ASSERT_TRUE(line.instead);
  EXPECT_EQ(line.instead->local_limit, "emptydirfs.limit");
  EXPECT_EQ(line.later, std::chrono::seconds(9));
}

TEST(WhatIfOfDisks, WithoutIsolationNobodyGoesForALocalLimit) {
  WhatIf changes;
  changes.config = config::parse(
                       "evictionHard:\n  nodefs.available: 1Gi\n"
                       "localStorageCapacityIsolation: false\n",
                       "other")
                       .value();
  const Counterfactual result = result_of(local_scenario(), changes);
  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_FALSE(result.evictions[0].instead);
}

TEST(WhatIfOfDisks, WhatIsNotKnownIsNamed) {
  WhatIf changes;
  changes.config = config::parse(
                       "evictionHard:\n  nodefs.available: 1100Mi\n"
                       "memoryAvailableSource: memAvailable\nnodefsPath: /elsewhere\n",
                       "other")
                       .value();
  const Counterfactual result = result_of(disk_scenario(), changes);
  ASSERT_EQ(result.left_out.size(), 2U);
  EXPECT_EQ(result.left_out[0].find("memoryAvailableSource"), 0U);
  EXPECT_EQ(result.left_out[1], "the filesystems stay those recorded");
}

}  // namespace
}  // namespace evictd::replay::test
