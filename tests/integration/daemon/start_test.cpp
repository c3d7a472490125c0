// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <filesystem>

#include "arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

struct BadConfig {
  const char* name;
  const char* text;
  /// What the one line must say.
  const char* says;
};
std::ostream& operator<<(std::ostream& out, const BadConfig& file) {
  return out << file.name;
}

class BadConfiguration : public Arena, public testing::WithParamInterface<BadConfig> {};
INSTANTIATE_TEST_SUITE_P(
    Files, BadConfiguration,
    testing::Values(
        BadConfig{"UnknownKey", "eventSource: auto\nevictionHrd: {}\n",
                  "refused.yaml:2: evictionHrd: "},
        BadConfig{"BadQuantity", "evictionHard:\n  memory.available: 1Gx\n",
                  "refused.yaml:2: evictionHard[memory.available]: 1Gx: "},
        BadConfig{"WrongType", "dryRun: perhaps\n", "refused.yaml:1: dryRun: perhaps: "},
        BadConfig{"OutOfRange", "\npollInterval: 1ms\n", "refused.yaml:2: pollInterval: 1ms: "},
        BadConfig{"Contradiction", "eventSource: poll\nperPageHook: true\n",
                  "refused.yaml:2: perPageHook: "},
        BadConfig{"SoftWithoutGrace", "evictionSoft:\n  memory.available: 1Gi\n",
                  "refused.yaml:2: evictionSoft[memory.available]: "},
        BadConfig{"NoYaml", "evictionHard: [\n", "refused.yaml:2:1: "}),
    [](const auto& file) { return std::string(file.param.name); });

TEST_P(BadConfiguration, IsRefusedInOneLineThatNamesFileLineAndKey) {
  const ProgramEnd end = refused_daemon(GetParam().text);
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_NE(end.output.find(GetParam().says), std::string::npos) << end.output;
  EXPECT_EQ(lines_with(end.output, ""), 1U) << end.output;
}

using Start = Arena;

TEST_F(Start, WithoutItsConfigurationFileIsRefused) {
  const ProgramEnd end =
      run_to_end(scratch_->path(), {EVICTD, "--config", scratch_->path() / "nothing.yaml"});
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_NE(end.output.find("nothing.yaml"), std::string::npos) << end.output;
}

TEST_F(Start, OfADaemonWithAWatchdogIsFollowedBySignsOfLife) {
  limit_memory();
  start_daemon(memory_config(Source::kPolling), {}, {"WATCHDOG_USEC=400000"});
  for (int i = 0; i < 3; ++i) {
    const auto told = daemon_->await_notify_line("WATCHDOG=1");
    ASSERT_TRUE(told) << told.error().message();
  }
}

using Timers = Arena;

TEST_F(Timers, OfTheDaemonDoNotFollowTheWallClock) {
  limit_memory();
  start_daemon(memory_config(Source::kPolling));
  const std::filesystem::path process = "/proc/" + std::to_string(daemon_->pid());
  int timers = 0;
  for (const auto& fd : std::filesystem::directory_iterator(process / "fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(fd.path(), gone) != "anon_inode:[timerfd]") {
      continue;
    }
    ++timers;
    const std::string told =
        stage::read_text(process / "fdinfo" / fd.path().filename()).value_or("");
    EXPECT_NE(told.find("clockid: " + std::to_string(CLOCK_MONOTONIC) + "\n"), std::string::npos)
        << told;
  }
  EXPECT_GE(timers, 2) << "each of the two threads has one";
}

}  // namespace
}  // namespace evictd::daemon::test
