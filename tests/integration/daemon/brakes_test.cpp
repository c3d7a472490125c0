// SPDX-License-Identifier: Apache-2.0
// How the running daemon is held back: by the minute, by hand, and by the configuration.
#include <csignal>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

/// Past the threshold, and far above the floor of half of it.
constexpr std::int64_t kLittlePast = kRunUp + kHeadroom / 4;

class Brakes : public ArenaBySource {
 protected:
  ProgramEnd evictctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), EVICTCTL);
    arguments.insert(arguments.end(), {"--socket", scratch_->path() / "control.sock"});
    return run_to_end(scratch_->path(), std::move(arguments));
  }
  Json await_held(const std::string& reason) {
    return await_status([&](const Json& now) {
      return now["last_pass"].is_object() && now["last_pass"]["outcome"] == "held" &&
             now["last_pass"]["reason"] == reason;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Brakes, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Brakes, BeyondTheRateOnlyWhatIsBelowTheFloorGoesOn) {
  Actor& first = add_hog({.name = "first"}, kLittlePast);
  Actor& second = add_hog({.name = "second"}, kPastThreshold + kHeadroom / 8);
  const Actor& small = add({.name = "small"}, kModest);
  limit_memory();
  Json config = memory_config(GetParam());
  config["maxEvictionsPerMinute"] = 1;
  config["hardEvictionFloor"] = "25%";
  start_daemon(config);
  first.load.go();
  ASSERT_TRUE(first.await_end());
  EXPECT_EQ(await_record(first)["brakes"]["evictions_last_minute"], 1);

  second.load.go();

  // Its cap leaves more than the floor.
  const Json held = await_held("eviction_rate");
  EXPECT_EQ(held["brakes"]["on"], "eviction_rate");
  EXPECT_EQ(held["brakes"]["evictions_last_minute"], 1);
  EXPECT_EQ(lines_with(log(), "maxEvictionsPerMinute is used up"), 1U) << log();
  EXPECT_TRUE(second.alive());
  config["hardEvictionFloor"] = "100%";
  reload(config.dump());
  ASSERT_TRUE(second.await_end());
  EXPECT_EQ(await_record(second)["brakes"]["overruled"], "eviction_rate");
  EXPECT_TRUE(small.alive());
}

TEST_P(Brakes, APauseHoldsEvictionsSurvivesAReloadAndEndsExactly) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  ASSERT_EQ(evictctl({"pause", "--for", "1h"}).exit_status, 0);
  hog.load.go();
  await_held("paused");
  reload(memory_config(GetParam()).dump());
  const Json held = await_held("paused");
  ASSERT_EQ(held["brakes"]["pauses"].size(), 1U);
  EXPECT_TRUE(held["brakes"]["pauses"][0]["signal"].is_null());
  EXPECT_TRUE(hog.alive());

  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  ASSERT_EQ(evictctl({"pause", "--for", "500ms"}).exit_status, 0);
  ASSERT_TRUE(hog.await_end());

  const Json record = await_record(hog);
  EXPECT_GE(record["timeline"]["signal_ns"].get<std::int64_t>() - before.count(), 500'000'000);
  if (GetParam() == Source::kEvents) {
    EXPECT_EQ(record["trigger"], "deadline");
  }
}

TEST_P(Brakes, APauseOfAnotherSignalHoldsNothingHere) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  ASSERT_EQ(evictctl({"pause", "--for", "1h", "--signal", "pid.available"}).exit_status, 0);
  hog.load.go();
  ASSERT_TRUE(hog.await_end());
}

TEST_P(Brakes, ResumeEndsAPauseAtOnce) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  ASSERT_EQ(
      evictctl({"pause", "--for", "1h", "--signal", "allocatableMemory.available"}).exit_status, 0);
  hog.load.go();
  await_held("paused");
  const ProgramEnd resumed = evictctl({"resume"});
  EXPECT_EQ(resumed.exit_status, 0) << resumed.output;
  EXPECT_NE(resumed.output.find("paused: nothing"), std::string::npos) << resumed.output;
  ASSERT_TRUE(hog.await_end());
}

TEST_P(Brakes, DryRunCanBeSwitchedOnTheRunningDaemonAndBack) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  ASSERT_EQ(evictctl({"dry-run", "on"}).exit_status, 0);
  EXPECT_EQ(status()["dry_run"], true);
  EXPECT_EQ(status()["dry_run_source"], "evictctl");
  hog.load.go();
  EXPECT_EQ(await_record(hog, "")["dry_run"], true);
  EXPECT_TRUE(hog.alive());

  ASSERT_EQ(evictctl({"dry-run", "off"}).exit_status, 0);

  const auto end = hog.await_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
}

TEST_P(Brakes, WhatIsNotAllowedIsRefusedAndChangesNothing) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(memory_config(GetParam()));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"pause", "--for", "10"},
        {"pause", "--for", "-1s"},
        {"pause", "--for", "25h"},
        {"pause", "--for", "1h", "--signal", "memory.unavailable"},
        {"resume", "--signal", "memory"}}) {
    const ProgramEnd refused = evictctl(wrong);
    EXPECT_EQ(refused.exit_status, 2);
    EXPECT_NE(refused.output.find("allowed: "), std::string::npos) << refused.output;
  }
  for (const char* const wrong : {R"({"op":"pause","for":"25h"})", R"({"op":"pause"})",
                                  R"({"op":"pause","for":"1h","signal":"memory.unavailable"})",
                                  R"({"op":"resume","signal":7})"}) {
    const std::string refused = daemon_->ask(wrong).value_or("");
    EXPECT_NE(refused.find("allowed: "), std::string::npos) << refused;
  }
  EXPECT_EQ(evictctl({"dry-run", "maybe"}).exit_status, 2);
  EXPECT_TRUE(status()["brakes"]["pauses"].empty());
  EXPECT_EQ(status()["dry_run"], false);
}

TEST_P(Brakes, APodThatIsNeverToBeEvictedLivesThoughItUsesTheMost) {
  Actor& small = add({.name = "small"}, kModest);
  const stage::PodSpec spec{.name = "database"};
  const stage::StagedPod pod = make_pod(spec);
  Json manifest = Json::parse(stage::manifest(spec, pod.uid));
  manifest["metadata"]["labels"] = {{"app", "database"}};
  write_manifest("database", manifest.dump());
  Actor& database = start_hog(pod, kPastThreshold);
  limit_memory();
  Json config = memory_config(GetParam());
  config["neverEvict"] = {{"namespaces", {"kube-system"}}, {"labels", {"app=database"}}};
  start_daemon(config);

  database.load.go();

  ASSERT_TRUE(small.await_end());
  const Json record = await_record(small);
  EXPECT_EQ(record["ranking"][0]["name"], "database");
  EXPECT_EQ(record["ranking"][0]["passed_over"], "never_evict");
  const Json seen = status();
  EXPECT_EQ(pod_in(seen, database.pod.uid)["protection"], "never_evict");
  EXPECT_EQ(seen["brakes"]["never_evict"]["labels"], Json({"app=database"}));
  EXPECT_TRUE(database.alive());
}

}  // namespace
}  // namespace evictd::daemon::test
