// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

/// Runs a program as root that may neither load nor attach BPF programs.
const std::vector<std::string> kWithoutBpf{"/usr/bin/setpriv",
                                           "--bounding-set=-bpf,-sys_admin,-perfmon"};

using WithoutBpf = Arena;

TEST_F(WithoutBpf, AutoSaysSoAndEvictsByPolling) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(Source::kPolling);
  config["eventSource"] = "auto";
  start_daemon(config, kWithoutBpf);
  EXPECT_EQ(lines_with(log(), "continuing without kernel events: polling"), 1U) << log();
  EXPECT_EQ(status()["event_source"], "poll");

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_EQ(await_record(hog)["trigger"], "regular");
  EXPECT_TRUE(small.alive());
}

TEST_F(WithoutBpf, BpfAloneIsRefused) {
  limit_memory();
  const ProgramEnd end = refused_daemon(memory_config(Source::kEvents).dump(), kWithoutBpf);
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_EQ(lines_with(end.output, "eventSource is bpf"), 1U) << end.output;
}

TEST_F(WithoutBpf, DoctorSaysThatNothingButPollingIsLeft) {
  std::vector<std::string> argv = kWithoutBpf;
  argv.insert(argv.end(), {EVICTCTL, "doctor", "--json"});
  const ProgramEnd end = run_to_end(scratch_->path(), argv);
  EXPECT_EQ(end.exit_status, 2);
  EXPECT_TRUE(Json::parse(end.output, nullptr, false).is_object()) << end.output;
}

}  // namespace
}  // namespace evictd::daemon::test
