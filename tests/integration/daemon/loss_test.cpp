// SPDX-License-Identifier: Apache-2.0
// What the daemon does without some of what the kernel could tell.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <list>
#include <numeric>

#include "arena.h"
#include "stopped_thread.h"

namespace evictd::daemon::test {
namespace {

class FullRing : public Arena {
 protected:
  /// Every thread but housekeeping: the hot one among them, so that nobody empties the ring.
  [[nodiscard]] std::list<StoppedThread> stop_all_but_housekeeping() const {
    std::list<StoppedThread> stopped;
    const std::string tasks = "/proc/" + std::to_string(daemon_->pid()) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(tasks)) {
      const pid_t id = std::stoi(thread.path().filename());
      if (id != daemon_->pid()) {
        stopped.emplace_back(id);
      }
    }
    return stopped;
  }
  /// Cgroups that come and go: two records each, at least.
  void burst() const {
    const std::filesystem::path pod = tree_->memory_directory() / "besteffort/podburst";
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(::mkdir(pod.c_str(), 0755), 0);
      ASSERT_EQ(::rmdir(pod.c_str()), 0);
    }
  }
  static std::uint64_t dropped_of(const Json& status) {
    const Json& kinds = status["counters"]["kernel"]["dropped"];
    return std::accumulate(
        kinds.begin(), kinds.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Json& count) { return sum + count.get<std::uint64_t>(); });
  }
};

TEST_F(FullRing, LossIsCountedByKindResyncedAndTheVictimIsKilled) {
  const Actor& steady = add({.name = "steady"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(Source::kEvents));
  const Json before = status();
  ASSERT_EQ(dropped_of(before), 0U);
  std::uint64_t dropped = 0;
  {
    const std::list<StoppedThread> deaf = stop_all_but_housekeeping();
    ASSERT_FALSE(deaf.empty());
    Json full;
    do {
      burst();
      full = status();
    } while (full["counters"]["kernel"]["dropped"]["cgroup"] == 0);
    dropped = dropped_of(full);
    hog.load.go();
    ASSERT_TRUE(hog.load.await_holding(kPatience));
    EXPECT_TRUE(hog.alive()) << "somebody was awake";
  }

  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json after = await_status([&](const Json& now) {
    return now["counters"]["resyncs"] > before["counters"]["resyncs"] &&
           now["counters"]["rescans"] > before["counters"]["rescans"];
  });
  EXPECT_GE(after["counters"]["lost_records"], dropped);
  EXPECT_EQ(after["counters"]["lost_records"], dropped_of(after));
  EXPECT_TRUE(steady.alive());
  await_record(hog);
}

class WithoutPodEvents : public Arena, public testing::WithParamInterface<const char*> {
 protected:
  /// Polling, or a kernel side of which nothing is heard.
  [[nodiscard]] Json config() const {
    Json config = memory_config(Source::kPolling);
    if (std::string(GetParam()) == "dropped") {
      config["eventSource"] = "bpf";
      config["faults"] = {{"dropKernelEvents", true}};
    }
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, WithoutPodEvents, testing::Values("poll", "dropped"),
                         [](const auto& way) { return std::string(way.param); });

TEST_P(WithoutPodEvents, APodWhoseFirstProcessCameAMomentAgoIsChosenAllTheSame) {
  const Actor& bystander = add({.name = "bystander", .priority = 1000}, kModest);
  const stage::StagedPod empty = make_pod({.name = "hog"});
  write_manifest(empty);
  limit_memory();
  start_daemon(config());
  ASSERT_EQ(pod_in(status(), empty.uid)["state"], "empty");

  Actor& hog = start_hog(empty, kPastThreshold);
  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end) << "somebody else was evicted";
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_EQ(await_record(hog)["ranking"].size(), 2U);
  EXPECT_TRUE(bystander.alive());
}

TEST_P(WithoutPodEvents, APodThatWasMadeAMomentAgoIsChosenAllTheSame) {
  const Actor& bystander = add({.name = "bystander", .priority = 1000}, kModest);
  limit_memory();
  start_daemon(config());

  Actor& hog = add_hog({.name = "hog"});
  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end) << "somebody else was evicted";
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_TRUE(bystander.alive());
}

TEST_F(FullRing, MissedPodIsEvictedAfterTheRescanNotAnIntervalLater) {
  limit_memory();
  // Its polling interval is one that no test lives to see.
  start_daemon(memory_config(Source::kEvents));
  Actor* hog = nullptr;
  {
    const std::list<StoppedThread> deaf = stop_all_but_housekeeping();
    ASSERT_FALSE(deaf.empty());
    do {
      burst();
    } while (status()["counters"]["kernel"]["dropped"]["cgroup"] == 0);
    hog = &add_hog({.name = "missed"});
    hog->load.go();
    ASSERT_TRUE(hog->load.await_holding(kPatience));
  }

  const auto end = hog->await_end();

  ASSERT_TRUE(end) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  await_record(*hog);
}

class WithoutStall : public Arena, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Rows, WithoutStall, testing::Values("none", "tp_btf"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(WithoutStall, TheDaemonSaysWhatItHasAndEvicts) {
  const Actor& steady = add({.name = "steady"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  // As on a kernel without PSI: no stall time at all, or reclaim time in its place.
  Json config = memory_config(Source::kEvents);
  config["attachPins"] = {{"stall", GetParam()}};
  start_daemon(config);
  const std::string hook = status()["hooks"]["stall"];
  EXPECT_EQ(hook, std::string(GetParam()) == "none" ? "off" : GetParam());

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_TRUE(asked_for_by_kernel(await_record(hog)));
  EXPECT_TRUE(steady.alive());
}

}  // namespace
}  // namespace evictd::daemon::test
