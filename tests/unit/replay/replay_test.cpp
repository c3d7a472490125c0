// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "config/pass_settings.h"
#include "replay/pass_json.h"
#include "replay/recording_file.h"
#include "replay/what_if.h"
#include "support/fake_tree.h"

namespace evictd::replay {
namespace {

using eviction::Signal;

constexpr const char* kYaml =
    "evictionHard:\n  allocatableMemory.available: 64Mi\nhardEvictionGracePeriodSeconds: 0\n";

MonoTime at_ms(std::int64_t ms) {
  return MonoTime(std::chrono::seconds(100) + std::chrono::milliseconds(ms));
}

/// Runs a manager as the hot thread would, and writes down what goes in and comes out.
class Recorder {
 public:
  explicit Recorder(const std::string& yaml = kYaml)
      : yaml_(yaml), manager_(manager_of({yaml}).value()) {
    add({{"evictd_recording", kRecordingVersion}, {"evictd_version", "test"}, {"wall_offset", 0}});
    add({{"config", yaml}});
    for (const char* name : {"hog", "web"}) {
      RecordedPod& pod = pods_.emplace_back();
      pod.number = pods_.size() - 1;
      pod.ns = "test";
      pod.name = name;
      pod.uid = std::string("uid-") + name;
      add(to_json(pod));
    }
  }

  /// One pass at which the pods hold so much of 256 MiB; the hog is gone where it holds nothing.
  void pass(MonoTime now, const std::string& trigger, Bytes hog, Bytes web,
            std::int64_t hog_rate = 0) {
    RecordedPass pass;
    pass.now = now;
    pass.trigger = trigger;
    pass.missed = std::exchange(missed_, 0);
    pass.cadence =
        trigger == "crossing" ? eviction::Cadence::kEventOnly : eviction::Cadence::kRegular;
    if (first_ || pass.missed != 0) {
      pass.before = manager_.state();
    }
    first_ = false;
    pass.observations.emplace();
    (*pass.observations)[Signal::kAllocatableMemoryAvailable] = eviction::Observation{
        .available = (256_MiB - hog - web).value, .capacity = (256_MiB).value, .time = now};
    pass.layout = eviction::DiskLayout{};
    if (hog.value > 0) {
      pass.pods.push_back(pod(0, hog, hog_rate));
    }
    pass.pods.push_back(pod(1, web, 0));
    std::vector<const RecordedPod*> pods{pods_.data(), &pods_[1]};
    PassInputs inputs(pods);
    const eviction::Decision& decision = manager_.synchronize(now, inputs.of(pass));
    if (decision.victim) {
      pass.signal_at = now;
    }
    pass.decision = to_json(decision);
    pass.state = to_json(manager_.state());
    add(to_json(pass));
  }
  void lose_a_pass(MonoTime now) {
    const std::string kept = std::exchange(lines_, {});
    pass(now, "regular", 10_MiB, 10_MiB);
    lines_ = kept;
    ++missed_;
  }
  void add(const Json& line) { lines_ += line.dump() + "\n"; }
  [[nodiscard]] std::string& lines() { return lines_; }

  /// The bytes of a file with these lines.
  [[nodiscard]] std::string bytes(bool with_end = true) const {
    const test::FakeTree tree;
    const std::filesystem::path path = tree.real("/recording");
    RecordingFile file = RecordingFile::create(path).value();
    file.add(lines_);
    EXPECT_TRUE(file.flush());
    if (with_end) {
      file.add("{\"end\":\"stopped\"}\n");
      EXPECT_TRUE(file.flush());
    }
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] Recording recording() const {
    Result<Recording> parsed = parse_recording(bytes(), "test");
    EXPECT_TRUE(parsed) << parsed.error().message();
    return parsed ? std::move(*parsed) : Recording{};
  }

 private:
  static RecordedPodPass pod(std::size_t number, Bytes usage, std::int64_t rate) {
    RecordedPodPass made;
    made.number = number;
    made.reading.state = eviction::ReadingState::kRead;
    made.reading.working_set_bytes = usage.value;
    made.reading.processes = 1;
    made.usage.usage = usage;
    made.usage.rate_bytes_per_second = rate;
    return made;
  }

  std::string yaml_;
  eviction::EvictionManager manager_;
  std::vector<RecordedPod> pods_;
  std::string lines_;
  std::uint64_t missed_ = 0;
  bool first_ = true;
};

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

TEST(WhatIf, ALowerThresholdIsCrossedLaterByTheRecordedRate) {
  WhatIf changes;
  changes.config =
      config::parse("evictionHard:\n  allocatableMemory.available: 31Mi\n", "other").value();
  const Result<Counterfactual> result = what_if(memory_scenario().recording(), changes);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->evictions.size(), 1U);
  ASSERT_TRUE(result->evictions[0].later);
  EXPECT_NEAR(std::chrono::duration<double>(*result->evictions[0].later).count(), 32.0 / 1024,
              0.001);
  EXPECT_FALSE(result->evictions[0].oom_first);
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

TEST(RecordingReader, AnotherVersionIsNotGuessedAt) {
  Recorder newer;
  newer.lines() = "{\"evictd_recording\":2}\n";
  EXPECT_EQ(error_of(newer.bytes()), "f: version 2 of the format; this program reads 1");
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
}  // namespace evictd::replay
