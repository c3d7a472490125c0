// SPDX-License-Identifier: Apache-2.0
// What the daemon recorded is replayed by evictctl.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

class Replayed : public ArenaBySource {
 protected:
  [[nodiscard]] std::string recording() const { return scratch_->path() / "recording"; }
  void record(const Json& config) {
    arguments_ = {"--record", recording()};
    start_daemon(config);
  }
  [[nodiscard]] ProgramEnd replay(std::vector<std::string> arguments = {}) const {
    std::vector<std::string> argv{EVICTCTL, "replay", recording()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_to_end(scratch_->path(), std::move(argv));
  }
  /// One eviction, recorded to its end.
  void record_an_eviction() {
    add({.name = "steady", .priority = 7}, kModest);
    hog_ = &add_hog({.name = "hog"});
    limit_memory();
    record(memory_config(GetParam()));
    hog_->load.go();
    ASSERT_TRUE(hog_->await_end());
    await_record(*hog_);
    ASSERT_TRUE(daemon_->stop());
  }

  Actor* hog_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(BySource, Replayed, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Replayed, ARecordingDecidesByteForByteAsTheDaemonDid) {
  record_an_eviction();
  const ProgramEnd told = replay({"--json"});
  ASSERT_EQ(told.exit_status, 0) << told.output;
  const Json verified = Json::parse(told.output);
  EXPECT_EQ(verified["identical"], true);
  EXPECT_EQ(verified["evictions"], 1);
  EXPECT_EQ(verified["missed_passes"], 0);
  EXPECT_GE(verified["passes"], 2);
}

TEST_P(Replayed, AReloadInBetweenIsReplayedToo) {
  hog_ = &add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(GetParam());
  config["evictionHard"] = {{"allocatableMemory.available", "1Mi"}};
  record(config);
  reload(memory_config(GetParam()).dump());
  hog_->load.go();
  ASSERT_TRUE(hog_->await_end());
  await_record(*hog_);
  ASSERT_TRUE(daemon_->stop());
  const ProgramEnd told = replay();
  EXPECT_EQ(told.exit_status, 0) << told.output;
  EXPECT_NE(told.output.find("1 of them evict: every decision comes out as recorded"),
            std::string::npos)
      << told.output;
}

TEST_P(Replayed, WithoutEventsItWouldHaveBeenLaterAndTheOomKillerFirst) {
  if (GetParam() == Source::kPolling) {
    GTEST_SUCCEED();  // The events are what is left out.
    return;
  }
  record_an_eviction();
  const ProgramEnd told = replay({"--without-events", "--interval", "10s", "--json"});
  ASSERT_EQ(told.exit_status, 0) << told.output;
  const Json line = Json::parse(told.output)["evictions"][0];
  EXPECT_EQ(line["recorded"]["uid"], hog_->pod.uid);
  EXPECT_EQ(line["instead"]["uid"], hog_->pod.uid);
  EXPECT_GT(line["later_ns"], 0);
  EXPECT_GT(line["more_used"], 0);
  EXPECT_EQ(line["oom_killer_first"], true) << told.output;
  const ProgramEnd text = replay({"--without-events", "--interval", "10s"});
  EXPECT_NE(text.output.find("OOM killer would have come first"), std::string::npos) << text.output;
}

/// The lines of code of a document that begin with one of `beginnings`.
std::vector<std::string> commands_of(const std::filesystem::path& document,
                                     const std::vector<std::string_view>& beginnings) {
  std::istringstream lines(stage::read_text(document).value());
  std::vector<std::string> commands;
  bool is_code = false;
  for (std::string line; std::getline(lines, line);) {
    is_code = is_code != line.starts_with("```");
    if (is_code && std::any_of(beginnings.begin(), beginnings.end(),
                               [&](std::string_view begin) { return line.starts_with(begin); })) {
      commands.push_back(line);
    }
  }
  return commands;
}

TEST_P(Replayed, TheGuidesCommandsDoAsWritten) {
  record_an_eviction();
  const std::filesystem::path place = scratch_->path();
  std::filesystem::create_symlink(recording(), place / "FILE");
  std::filesystem::copy_file(config_file(), place / "other.yaml");
  std::ofstream(place / "kubelet.yaml") << "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                           "kind: KubeletConfiguration\n";
  const std::vector<std::string> commands =
      commands_of(REPLAY_GUIDE, {"evictctl replay ", "evictctl check-config "});
  EXPECT_GE(commands.size(), 6U) << REPLAY_GUIDE;
  const std::string path =
      "PATH=" + std::filesystem::path(EVICTCTL).parent_path().string() + ":/usr/bin:/bin";
  for (const std::string& command : commands) {
    const ProgramEnd told =
        run_to_end(place, {"/usr/bin/env", "--chdir=" + place.string(), path, "sh", "-c", command});
    EXPECT_EQ(told.exit_status, 0) << command << '\n' << told.output;
  }
}

TEST_P(Replayed, WhatIsNoRecordingIsOneError) {
  std::ofstream(recording()) << "no recording";
  const ProgramEnd told = replay();
  EXPECT_EQ(told.exit_status, 1);
  EXPECT_EQ(told.output, "evictctl: " + recording() + ": not a recording of evictd\n");
}

}  // namespace
}  // namespace evictd::daemon::test
