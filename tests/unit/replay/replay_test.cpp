// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "recorder.h"
#include "replay/recorded.h"
#include "replay/recording_file.h"
#include "replay/what_if.h"
#include "support/fake_tree.h"

namespace evictd::replay::test {
namespace {

/// A hog that crosses at 1 s with 1 GiB a second, is evicted, and quiet afterwards.
Recorder memory_scenario() {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 153_MiB, 40_MiB, (1024_MiB).value);
  recorder.pass(at_ms(1010), "release", 0_MiB, 40_MiB);
  return recorder;
}

TEST(Replay, DecidesByteForByteAsRecorded) {
  const Result<Verification> verified = verify(memory_scenario().recording());
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_EQ(verified->passes, 3U);
  EXPECT_EQ(verified->evictions, 1U);
  EXPECT_FALSE(verified->difference)
      << verified->difference->what << ": " << verified->difference->recorded << " / "
      << verified->difference->replayed;
}

TEST(Replay, ShowsTheFirstDifference) {
  Recorder recorder = memory_scenario();
  std::string& lines = recorder.lines();
  const std::size_t victim = lines.find(R"("victim":0)");
  ASSERT_NE(victim, std::string::npos);
  lines.replace(victim, 10, R"("victim":1)");
  const Result<Verification> verified = verify(recorder.recording());
  ASSERT_TRUE(verified);
  ASSERT_TRUE(verified->difference);
  EXPECT_EQ(verified->difference->pass, 2U);
  EXPECT_EQ(verified->difference->what, "decision.victim");
  EXPECT_EQ(verified->difference->recorded, "1");
  EXPECT_EQ(verified->difference->replayed, "0");
}

TEST(Replay, GoesOnAfterAGapAndSaysSo) {
  Recorder recorder;
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.lose_a_pass(at_ms(10'000));
  recorder.pass(at_ms(20'000), "regular", 20_MiB, 40_MiB);
  const Result<Verification> verified = verify(recorder.recording());
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->gaps, 1U);
  EXPECT_EQ(verified->missed, 1U);
  EXPECT_FALSE(verified->difference);
}

TEST(Replay, AConfigurationThatIsNoneIsAnErrorAlsoWhereNoPassHasIt) {
  for (const auto& [part, other] :
       {std::pair{"64Mi", "64Xi"}, std::pair{"evictionHard:", "xxxx"}}) {
    Recorder recorder;
    std::string& lines = recorder.lines();
    lines.replace(lines.find(part), std::string_view(part).size(), other);
    const Result<Verification> verified = verify(recorder.recording());
    ASSERT_FALSE(verified) << other;
    EXPECT_EQ(verified.error().message().find("the recorded configuration"), 0U)
        << verified.error().message();
  }
}

TEST(WhatIf, WithoutEventsTheNextPassComesLaterAndTheOomKillerFirst) {
  WhatIf changes;
  changes.without_events = true;
  changes.interval = std::chrono::seconds(10);
  const Result<Counterfactual> result = what_if(memory_scenario().recording(), changes);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->evictions.size(), 1U);
  const Comparison& line = result->evictions[0];
  ASSERT_TRUE(line.recorded);
  EXPECT_EQ(line.recorded->name, "test/hog");
  ASSERT_TRUE(line.instead);
  EXPECT_EQ(line.instead->uid, "uid-hog");
  EXPECT_EQ(line.later, std::chrono::seconds(9));
  ASSERT_TRUE(line.oom_first);
  // 63 MiB were left, at 1 GiB a second.
  EXPECT_NEAR(std::chrono::duration<double>(line.oom_first->at - line.recorded->at).count(),
              63.0 / 1024, 0.001);
  EXPECT_EQ(line.more_used, (63_MiB).value) << "the limit ends the growth";
}

TEST(WhatIf, TheSameSettingsChooseTheSamePodAtTheSameMoment) {
  WhatIf changes;
  changes.compat = eviction::Compat::k1_32;
  const Result<Counterfactual> result = what_if(memory_scenario().recording(), changes);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->evictions.size(), 1U);
  EXPECT_EQ(result->evictions[0].later, Duration::zero());
  EXPECT_FALSE(result->evictions[0].oom_first);
}

/// A soft threshold's grace ends at 11 s; the machine was so busy that the pass came at 15 s, when
/// the hog had let go by itself.
TEST(WhatIf, TheSameSettingsWaitForAPassThatTheMachineHeldUp) {
  Recorder recorder(
      "evictionHard:\n  allocatableMemory.available: 1Mi\n"
      "evictionSoft:\n  allocatableMemory.available: 64Mi\n"
      "evictionSoftGracePeriod:\n  allocatableMemory.available: 10s\n");
  recorder.pass(at_ms(0), "request", 20_MiB, 40_MiB);
  recorder.pass(at_ms(1000), "crossing", 200_MiB, 40_MiB);
  recorder.pass(at_ms(15'000), "deadline", 150_MiB, 40_MiB);
  recorder.pass(at_ms(16'000), "regular", 150_MiB, 40_MiB);
  WhatIf changes;
  changes.compat = eviction::Compat::k1_32;
  const Result<Counterfactual> result = what_if(recorder.recording(), changes);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->evictions.empty());
}

TEST(Recorded, ANegativeGraceIsReadAsItIsAndLeavesNoTime) {
  RecordedPass pass;
  pass.decision["grace"] = -5;
  EXPECT_EQ(grace_of(pass), std::chrono::seconds(-5));
  EXPECT_EQ(kill_after(at_ms(0), grace_of(pass)), at_ms(0));
}

TEST(Recorded, AGraceThatWasCutCountsToTheMillisecond) {
  RecordedPass pass;
  pass.decision["grace"] = 1;
  pass.decision["grace_ms"] = 350;
  EXPECT_EQ(grace_of(pass), std::chrono::milliseconds(350));
  EXPECT_EQ(kill_after(at_ms(0), grace_of(pass)), at_ms(350));
}

TEST(WhatIf, TheSameSettingsGiveTheSameNegativeGrace) {
  Recorder recorder(
      "evictionHard:\n  allocatableMemory.available: 1Mi\n"
      "evictionSoft:\n  allocatableMemory.available: 64Mi\n"
      "evictionSoftGracePeriod:\n  allocatableMemory.available: 1s\n");
  RecordedPod hasty;
  hasty.ns = "test";
  hasty.name = "hog";
  hasty.uid = "uid-hog";
  hasty.facts.termination_grace_seconds = -5;
  const std::size_t number = recorder.describe(hasty);
  for (const std::int64_t ms : {0, 1000, 2100}) {
    RecordedPass pass =
        Recorder::memory_pass(at_ms(ms), "deadline", ms == 0 ? 20_MiB : 200_MiB, 40_MiB);
    pass.pods[0].number = number;
    recorder.run(pass);
  }
  recorder.pass(at_ms(2110), "release", 0_MiB, 40_MiB);
  WhatIf changes;
  changes.compat = eviction::Compat::k1_32;

  const Result<Counterfactual> result = what_if(recorder.recording(), changes);

  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->evictions.size(), 1U);
  ASSERT_TRUE(result->evictions[0].recorded);
  EXPECT_EQ(result->evictions[0].recorded->grace, std::chrono::seconds(-5));
  ASSERT_TRUE(result->evictions[0].instead);
  EXPECT_EQ(result->evictions[0].instead->grace, std::chrono::seconds(-5));
}

TEST(WhatIf, ALowerThresholdIsCrossedLaterByTheRecordedRate) {
  WhatIf changes;
  changes.config =
      config::parse("evictionHard:\n  allocatableMemory.available: 31Mi\n", "other").value();
  const Result<Counterfactual> result = what_if(memory_scenario().recording(), changes);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->evictions.size(), 2U);
  ASSERT_TRUE(result->evictions[0].later);
  EXPECT_NEAR(std::chrono::duration<double>(*result->evictions[0].later).count(), 32.0 / 1024,
              0.001);
  EXPECT_FALSE(result->evictions[0].oom_first);
  // The second that the kubelet gives by default would have been too long.
  ASSERT_TRUE(result->evictions[1].instead);
  EXPECT_TRUE(result->evictions[1].instead->escalated);
}

TEST(RecordingFile, IsNotBegunInWhatIsNoRegularFile) {
  const evictd::test::FakeTree tree;
  const std::filesystem::path fifo = tree.real("/fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {fifo, std::filesystem::path("/dev/full")}) {
    const Result<RecordingFile> file = RecordingFile::create(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().message(), "open " + path.string() + ": not a regular file");
  }
}

TEST(RecordingReader, WhatIsCutShortIsReadUpToThere) {
  const std::string bytes = memory_scenario().bytes();
  const Result<Recording> parsed =
      parse_recording(std::string_view(bytes).substr(0, bytes.size() - 3), "f");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_NE(parsed->warning.find("f: cut short: the last"), std::string::npos) << parsed->warning;
  EXPECT_EQ(verify(*parsed)->passes, 3U);
}

TEST(RecordingReader, ARecordingWithoutAnEndHasAWarning) {
  const Result<Recording> parsed = parse_recording(memory_scenario().bytes(false), "f");
  ASSERT_TRUE(parsed);
  EXPECT_NE(parsed->warning.find("ends without an end"), std::string::npos);
}

std::string error_of(std::string_view bytes) {
  const Result<Recording> parsed = parse_recording(bytes, "f");
  return parsed ? "none" : parsed.error().message();
}

TEST(RecordingReader, WhatIsNoRecordingIsOneClearError) {
  EXPECT_EQ(error_of(""), "f: empty");
  EXPECT_EQ(error_of("# a configuration\n"), "f: not a recording of evictd");
  Recorder foreign;
  foreign.lines() = "{\"some\":\"thing\"}\n";
  EXPECT_EQ(error_of(foreign.bytes()), "f: not a recording of evictd");
}

TEST(RecordingReader, AFileThatCannotBeReadIsAnErrorWithItsReason) {
  const Result<Recording> read = read_recording("/proc/self/mem");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "read /proc/self/mem: Input/output error");
}

TEST(RecordingReader, WhatNestsTooDeepIsRefusedWithItsLine) {
  Recorder deep;
  deep.lines() = std::string(1'000'000, '[') + "\n";
  EXPECT_EQ(error_of(deep.bytes()), "f: line 1: nests deeper than 64 levels");
  Recorder later = memory_scenario();
  later.lines() += R"({"event":)" + std::string(1'000'000, '[') + "\n";
  const std::string error = error_of(later.bytes(false));
  EXPECT_TRUE(error.starts_with("f: line ")) << error;
  EXPECT_TRUE(error.ends_with(": nests deeper than 64 levels")) << error;
}

TEST(RecordingReader, AKeyThatIsThereTwiceIsNamedWithItsLine) {
  Recorder recorder = memory_scenario();
  std::string& lines = recorder.lines();
  lines.replace(lines.find(R"("wall_offset")"), 1, R"("wall_offset":1,")");
  EXPECT_EQ(error_of(recorder.bytes()), "f: line 1: the key \"wall_offset\" is there twice");
}

TEST(RecordingReader, AnotherVersionIsNotGuessedAt) {
  Recorder newer;
  newer.lines() = "{\"evictd_recording\":5}\n";
  EXPECT_EQ(error_of(newer.bytes()), "f: version 5 of the format; this program reads 2 to 4");
  Recorder older;
  older.lines() = "{\"evictd_recording\":1}\n";
  EXPECT_EQ(error_of(older.bytes()), "f: version 1 of the format; this program reads 2 to 4");
}

TEST(RecordingReader, ARecordingOfVersion2IsReadAndReplayed) {
  Recorder old = memory_scenario();
  std::string& lines = old.lines();
  const std::string_view newest = R"("evictd_recording":4)";
  ASSERT_NE(lines.find(newest), std::string::npos) << "new recordings are told apart";
  lines.replace(lines.find(newest), newest.size(), R"("evictd_recording":2)");
  ASSERT_EQ(lines.find("kernel_available"), std::string::npos) << "version 2 has none";
  ASSERT_EQ(lines.find("inode_request"), std::string::npos) << "nor this";
  const Result<Recording> recording = parse_recording(old.bytes(), "f");
  ASSERT_TRUE(recording) << recording.error().message();
  EXPECT_EQ(recording->header.version, 2);
  const Result<Verification> verified = verify(*recording);
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_FALSE(verified->difference);
  EXPECT_GT(verified->evictions, 0U);
}

TEST(RecordingReader, ADamagedFrameIsAnError) {
  std::string bytes = memory_scenario().bytes();
  bytes[bytes.size() / 2] ^= 0x55;
  EXPECT_NE(error_of(bytes), "none");
}

TEST(RecordingReader, WhatIsWrongIsNamedByLineAndPlace) {
  Recorder recorder = memory_scenario();
  std::string& lines = recorder.lines();
  lines.replace(lines.find(R"("n":0)"), 5, R"("n":7)");
  EXPECT_EQ(error_of(recorder.bytes()), "f: line 5: pods: names the unknown pod 7");
}

}  // namespace
}  // namespace evictd::replay::test
