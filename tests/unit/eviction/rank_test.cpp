// SPDX-License-Identifier: Apache-2.0
#include "eviction/rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "builders.h"
#include "eviction/ranking.h"
#include "node.h"

namespace evictd::eviction {
namespace {

using testing::ElementsAre;

/// Names in the order in which they would be evicted for a signal.
std::vector<std::string> order(Node& node, Signal signal, DiskLayout layout = {}) {
  std::vector<std::string> names;
  for (const Candidate& candidate : rank_with_reasons(rank_rule(signal, layout), node.pods())) {
    names.push_back(node.name_of(candidate.pod));
  }
  return names;
}

Pod guaranteed(const std::string& name, std::string_view memory) {
  return pod(name).cpu("1").memory(memory, memory);
}

TEST(MemoryRanking, OrdersByUsageAboveRequest) {
  Node node({});
  node.with(pod("best-effort-high"), 500_MiB)
      .with(pod("best-effort-low"), 300_MiB)
      .with(pod("burstable-high").request("memory", "100Mi"), 800_MiB)
      .with(pod("burstable-low").request("memory", "100Mi"), 300_MiB)
      .with(guaranteed("guaranteed-high", "1Gi"), 800_MiB)
      .with(guaranteed("guaranteed-low", "1Gi"), 200_MiB);

  EXPECT_THAT(order(node, Signal::kMemoryAvailable),
              ElementsAre("burstable-high", "best-effort-high", "best-effort-low", "burstable-low",
                          "guaranteed-high", "guaranteed-low"));
}

TEST(MemoryRanking, TakesPodsAboveTheirRequestBeforeAllOthers) {
  Node node({});
  node.with(pod("below-low-priority").priority(-1000).request("memory", "1Gi"), 900_MiB)
      .with(pod("above-high-priority").priority(1000).request("memory", "10Mi"), 11_MiB)
      .with(pod("exactly-at-request").priority(-1000).request("memory", "10Mi"), 10_MiB);

  EXPECT_THAT(order(node, Signal::kMemoryAvailable),
              ElementsAre("above-high-priority", "exactly-at-request", "below-low-priority"));
}

TEST(MemoryRanking, TakesLowPriorityBeforeHighUsage) {
  Node node({});
  node.with(pod("high-priority").priority(1000), 900_MiB)
      .with(pod("no-priority"), 500_MiB)
      .with(pod("low-priority").priority(-1000), 1_MiB);

  EXPECT_THAT(order(node, Signal::kMemoryAvailable),
              ElementsAre("low-priority", "no-priority", "high-priority"));
}

TEST(MemoryRanking, TakesPodsWithoutStatisticsFirst) {
  Node node({});
  node.with(pod("huge").priority(-1000), 900_GiB);
  node.with(pod("without").priority(1000));

  EXPECT_THAT(order(node, Signal::kMemoryAvailable), ElementsAre("without", "huge"));
}

TEST(MemoryRanking, SeesAThousandthOfAByte) {
  Node node({});
  node.with(pod("a").request("memory", "100m"), Bytes{1})
      .with(pod("b").request("memory", "99m"), Bytes{1});

  EXPECT_THAT(order(node, Signal::kMemoryAvailable), ElementsAre("b", "a"));
}

TEST(MemoryRanking, LeavesEqualPodsInTheOrderGiven) {
  Node node({});
  node.with(pod("c"), 1_MiB).with(pod("a"), 1_MiB).with(pod("b"), 1_MiB);

  EXPECT_THAT(order(node, Signal::kMemoryAvailable), ElementsAre("c", "a", "b"));
}

TEST(PidRanking, LooksAtPriorityBeforeMissingStatistics) {
  Node node({});
  node.with(pod("forks").priority(-10), 0_MiB);
  node["forks"].reading.processes = 3;
  node.with(pod("many"), 0_MiB);
  node["many"].reading.processes = 30'000;
  node.with(pod("without"));

  EXPECT_THAT(order(node, Signal::kPidAvailable), ElementsAre("forks", "without", "many"));
}

TEST(PidRanking, OrdersCountsWhoseDifferenceWouldWrap) {
  Node node({});
  const auto with_processes = [&](const std::string& name, std::int64_t processes) {
    node.with(pod(name), 0_MiB);
    node[name].reading.processes = processes;
  };
  with_processes("none", 0);
  with_processes("least", std::numeric_limits<std::int64_t>::min());
  with_processes("most", std::numeric_limits<std::int64_t>::max());

  EXPECT_THAT(order(node, Signal::kPidAvailable), ElementsAre("most", "none", "least"));
}

TEST(DiskRanking, CountsWhatTheFilesystemHolds) {
  Node node({});
  node.with(pod("writes-to-its-layer"), 0_MiB);
  node["writes-to-its-layer"].reading.disk.root_bytes = 1000;
  node.with(pod("logs"), 0_MiB);
  node["logs"].reading.disk.log_bytes = 500;

  EXPECT_THAT(order(node, Signal::kNodeFsAvailable, {}),
              ElementsAre("writes-to-its-layer", "logs"));
  const DiskLayout dedicated{.dedicated_image_fs = true, .split_container_fs = false};
  EXPECT_THAT(order(node, Signal::kNodeFsAvailable, dedicated),
              ElementsAre("logs", "writes-to-its-layer"));
  EXPECT_THAT(order(node, Signal::kImageFsAvailable, dedicated),
              ElementsAre("writes-to-its-layer", "logs"));
}

TEST(DiskRanking, TakesBytesOfTheRequestFromInodes) {
  Node node({});
  node.with(pod("requests-bytes").request("ephemeral-storage", "1Gi"), 0_MiB);
  node["requests-bytes"].reading.disk.root_inodes = 1'000'000;
  node.with(pod("requests-nothing"), 0_MiB);
  node["requests-nothing"].reading.disk.root_inodes = 10;

  EXPECT_THAT(order(node, Signal::kNodeFsInodesFree),
              ElementsAre("requests-nothing", "requests-bytes"));
}

TEST(DiskRanking, TakesPodsAboveARequestForInodesBeforeAllOthers) {
  Node node({});
  node.with(pod("requests-inodes").priority(-10).request("inodes", "100"), 0_MiB);
  node["requests-inodes"].reading.disk.root_inodes = 100;
  node.with(pod("requests-nothing"), 0_MiB);
  node["requests-nothing"].reading.disk.root_inodes = 10;

  EXPECT_THAT(order(node, Signal::kNodeFsInodesFree),
              ElementsAre("requests-nothing", "requests-inodes"));
  node["requests-inodes"].reading.disk.root_inodes = 101;
  EXPECT_THAT(order(node, Signal::kNodeFsInodesFree),
              ElementsAre("requests-inodes", "requests-nothing"));
}

TEST(PodReading, CountsTheFirstMeasureOfANameOncePerVolume) {
  const Volume shared{.name = "data", .empty_dir = EmptyDir{}};
  PodStatistics statistics;
  statistics.volumes = {{.name = "data", .use = {.bytes = 3, .inodes = 1}},
                        {.name = "data", .use = {.bytes = 10, .inodes = 5}},
                        {.name = "unknown", .use = {.bytes = 100, .inodes = 50}}};

  const DiskReading once = reading_of(statistics, pod("once").volume(shared)).disk;
  EXPECT_EQ(once.volume_bytes, 3);
  EXPECT_EQ(once.volume_inodes, 1);
  const DiskReading twice = reading_of(statistics, pod("twice").volume(shared).volume(shared)).disk;
  EXPECT_EQ(twice.volume_bytes, 6);
  EXPECT_EQ(twice.volume_inodes, 2);
}

TEST(RankingWithReasons, NamesTheRuleThatPassedEachPodOver) {
  Node node({});
  node.with(pod("static").annotation("kubernetes.io/config.source", "file"), 900_MiB)
      .with(pod("mirror").annotation("kubernetes.io/config.mirror", "x"), 800_MiB)
      .with(pod("unknown"), 700_MiB)
      .with(pod("dying"), 600_MiB)
      .with(pod("refused"), 550_MiB)
      .with(pod("chosen"), 500_MiB)
      .with(pod("later"), 400_MiB)
      .with(pod("critical").priority(kCriticalPriority), 900_MiB)
      .with(pod("new"), 300_MiB);
  node["unknown"].standing = Standing::kUnknown;
  node["dying"].standing = Standing::kKilled;
  node["refused"].standing = Standing::kRefused;
  node["new"].reading.state = ReadingState::kNotReadYet;

  std::vector<std::string> lines;
  for (const Candidate& candidate :
       rank_with_reasons(rank_rule(Signal::kMemoryAvailable, {}), node.pods())) {
    lines.push_back(std::to_string(candidate.place) + " " + node.name_of(candidate.pod) + " " +
                    std::string(to_string(candidate.passed_over)));
  }

  EXPECT_THAT(lines, ElementsAre("1 static static", "2 mirror mirror", "3 dying killed",
                                 "4 refused refused", "5 chosen ", "6 later ranks_later",
                                 "7 critical critical", "0 unknown unknown", "0 new not_read_yet"));
}

TEST(RankKey, IsAStrictWeakOrderUnderRandomInput) {
  std::mt19937 random(20'26);
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  std::vector<RankKey> keys;
  for (int i = 0; i < 60; ++i) {
    PodFacts facts;
    facts.priority = up_to(2) - 1;
    facts.memory_request_nanos = Wide{up_to(3)} * 1'000'000'000;
    PodReading reading;
    reading.state = up_to(5) == 0 ? ReadingState::kAbsent : ReadingState::kRead;
    reading.working_set_bytes = up_to(4);
    reading.processes = up_to(4);
    keys.push_back(
        rank_key({up_to(1) == 0 ? Resource::kMemory : Resource::kPids, {}}, facts, reading));
  }
  for (const RankKey& a : keys) {
    EXPECT_FALSE(a < a);
    for (const RankKey& b : keys) {
      EXPECT_EQ(a<b, b> a);
      for (const RankKey& c : keys) {
        EXPECT_FALSE(a < b && b < c && !(a < c));
        EXPECT_FALSE(a == b && b == c && a != c);
      }
    }
  }
}

}  // namespace
}  // namespace evictd::eviction
