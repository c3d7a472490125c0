// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>

#include "arena.h"
#include "stopped_thread.h"

namespace evictd::daemon::test {
namespace {

using stage::QosClass;

class Eviction : public ArenaBySource {};
INSTANTIATE_TEST_SUITE_P(BySource, Eviction, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

/// What of a record must not depend on how evictd noticed.
Json essence(const Json& record) {
  Json ranking = Json::array();
  for (const Json& candidate : record["ranking"]) {
    ranking.push_back({{"name", candidate["name"]}, {"passed_over", candidate["passed_over"]}});
  }
  Json essence;
  for (const char* key : {"pod", "signal", "threshold", "resource", "grace_seconds", "outcome"}) {
    essence[key] = record[key];
  }
  essence["ranking"] = ranking;
  return essence;
}

const stage::PodSpec kSteady{
    .name = "steady", .qos = QosClass::kBurstable, .memory_request = Bytes{64 * kMiB}};

TEST_P(Eviction, TheHogDiesAndTheOthersLive) {
  const Actor& steady = add(kSteady, 2 * kModest);
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json record = await_record(hog);
  EXPECT_EQ(asked_for_by_kernel(record), GetParam() == Source::kEvents) << record["trigger"];
  EXPECT_EQ(record["ranking"][0]["name"], "hog");
  const Json& moments = record["timeline"];
  EXPECT_LE(moments["decide_ns"], moments["killed_ns"]);
  EXPECT_LE(moments["killed_ns"], moments["signal_ns"]);
  EXPECT_LE(moments["killed_ns"], moments["exited_ns"]);
  EXPECT_TRUE(has_condition(status(), "MemoryPressure"));
  EXPECT_TRUE(steady.alive());
  EXPECT_TRUE(small.alive());
  EXPECT_EQ(tree_->oom_kills().value_or(-1), 0);
}

class CrowdedHog : public Arena {};
TEST_F(CrowdedHog, WithMoreCgroupsThanEvictdHasDescriptorsDies) {
  constexpr int kNested = 1100;
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  for (const std::filesystem::path& container : tree_->directories_of(hog.pod)) {
    for (int i = 0; i < kNested; ++i) {
      ASSERT_TRUE(
          std::filesystem::create_directory(container.parent_path() / ("c" + std::to_string(i))));
    }
  }
  limit_memory();
  start_daemon(memory_config(Source::kEvents), {"/usr/bin/prlimit", "--nofile=1024:1024"});

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_EQ(await_record(hog)["uid"], hog.pod.uid);
  EXPECT_TRUE(small.alive());
  EXPECT_EQ(tree_->oom_kills().value_or(-1), 0);
}

TEST_P(Eviction, GoesOnWhileHousekeepingStandsStill) {
  const Actor& steady = add(kSteady, 2 * kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  {
    const StoppedThread housekeeping(daemon_->pid());
    hog.load.go();
    const auto end = hog.await_end();
    ASSERT_TRUE(end) << "nobody died while housekeeping stood still";
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  }
  EXPECT_EQ(await_record(hog)["pod"], "default/hog");
  EXPECT_TRUE(steady.alive());
}

TEST_P(Eviction, PodPopulatedWhileHousekeepingStalledIsEvicted) {
  const Actor& steady = add(kSteady, 2 * kModest);
  const stage::StagedPod empty = make_pod({.name = "hog"});
  write_manifest(empty);
  limit_memory();
  start_daemon(memory_config(GetParam()));
  Actor* hog = nullptr;
  {
    const StoppedThread housekeeping(daemon_->pid());
    hog = &start_hog(empty, kPastThreshold);
    hog->load.go();
    const auto end = hog->await_end();
    ASSERT_TRUE(end) << "it was taken for empty";
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  }
  EXPECT_EQ(await_record(*hog)["pod"], "default/hog");
  EXPECT_EQ(tree_->oom_kills().value_or(-1), 0);
  EXPECT_TRUE(steady.alive());
}

TEST_P(Eviction, ADryRunNamesTheSameVictimAndHarmsNobody) {
  const Actor& steady = add(kSteady, 2 * kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(GetParam());
  config["dryRun"] = true;
  start_daemon(config);

  hog.load.go();
  const Json would = await_record(hog, "");
  EXPECT_EQ(would["dry_run"], true);
  ASSERT_TRUE(hog.load.await_holding(kPatience));
  EXPECT_TRUE(hog.alive());
  EXPECT_TRUE(steady.alive());
  for (const Json& record : ask("last_evictions")) {
    EXPECT_EQ(record["uid"], hog.pod.uid);
  }
  ASSERT_TRUE(daemon_->stop());
  EXPECT_TRUE(hog.alive());

  config["dryRun"] = false;
  start_daemon(config);
  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(essence(await_record(hog)), essence(would));
}

TEST_P(Eviction, ADryRunNamesTheHogAgainWhenItGrowsAgain) {
  const Actor& steady = add(kSteady, 2 * kModest);
  const Actor& base = add({.name = "hog"}, kModest);
  limit_memory();
  Json config = memory_config(GetParam());
  config["dryRun"] = true;
  config["evictionPressureTransitionPeriod"] = "0s";
  start_daemon(config);
  const auto named = [&] { return ask("last_evictions").size(); };

  for (std::size_t crossing = 1; crossing <= 3; ++crossing) {
    Actor& grown = start_hog(base.pod, kPastThreshold);
    grown.load.go();
    await_status([&](const Json&) { return named() == crossing; });
    ASSERT_TRUE(grown.load.await_holding(kPatience));
    ASSERT_EQ(::kill(grown.load.child().pid(), SIGKILL), 0);
    ASSERT_TRUE(grown.await_end());
    await_status([](const Json& seen) { return seen["last_pass"]["outcome"] == "nothing_met"; });
  }

  for (const Json& record : ask("last_evictions")) {
    EXPECT_EQ(record["uid"], base.pod.uid);
  }
  EXPECT_TRUE(steady.alive());
  EXPECT_TRUE(base.alive());
}

TEST_P(Eviction, OfTwoHogsOneGoesAfterTheOther) {
  const Actor& steady = add(kSteady, kModest);
  limit_memory();
  // Each alone is past the threshold.
  Actor& first = add_hog({.name = "first"}, kRunUp + 10 * kMiB);
  Actor& second = add_hog({.name = "second", .priority = 5}, kRunUp + 8 * kMiB);
  ASSERT_TRUE(tree_->limit_memory(tree_->usage().value_or(Bytes{0}) +
                                  Bytes{2 * kRunUp + 20 * kMiB + kHeadroom}));
  Json config = memory_config(GetParam());
  // Met when less is available than one hog leaves.
  config["evictionHard"] = {
      {"allocatableMemory.available", std::to_string(kRunUp + 16 * kMiB + kHeadroom)}};
  first.load.go();
  second.load.go();
  ASSERT_TRUE(first.load.await_holding(kPatience));
  ASSERT_TRUE(second.load.await_holding(kPatience));
  start_daemon(config);

  ASSERT_TRUE(first.await_end());
  ASSERT_TRUE(second.await_end());

  const Json one = await_record(first);
  const Json two = await_record(second);
  EXPECT_LT(one["id"], two["id"]);
  EXPECT_LT(one["timeline"]["signal_ns"], two["timeline"]["observe_ns"]) << "not two passes";
  EXPECT_EQ(ask("last_evictions").size(), 2U);
  EXPECT_TRUE(steady.alive());
}

TEST_P(Eviction, AVictimThatTakesItsTimeCostsNobodyElseHisLife) {
  Actor& bystander = add({.name = "bystander"}, 2 * kModest);
  Actor& hog = add_hog({.name = "hog"}, kPastThreshold, Manners::kStubborn);
  limit_memory();
  Json config = memory_config(GetParam());
  config["hardEvictionGracePeriodSeconds"] = 2;
  config["hardEvictionFloor"] = "0%";
  start_daemon(config);

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  await_record(hog);
  const Json after = await_status([](const Json& seen) {
    return seen["last_pass"].is_object() && seen["last_pass"]["outcome"] == "nothing_met";
  });
  EXPECT_TRUE(bystander.alive());
  EXPECT_EQ(after["counters"]["evictions"], 1) << ask("last_evictions").dump(1);
}

using WithoutEvents = Arena;

TEST_F(WithoutEvents, TheSameVictimGoesAndTheSameConditionsAreReported) {
  std::vector<Json> stories;
  for (const bool dropped : {false, true}) {
    const Actor& steady = add(kSteady, 2 * kModest);
    Actor& hog = add_hog({.name = "hog"});
    limit_memory();
    Json config = memory_config(Source::kEvents);
    if (dropped) {
      config["faults"] = {{"dropKernelEvents", true}};
      config["pollInterval"] = "50ms";
    }
    start_daemon(config);

    hog.load.go();
    ASSERT_TRUE(hog.await_end());

    const Json record = await_record(hog);
    EXPECT_EQ(asked_for_by_kernel(record), !dropped) << record["trigger"];
    EXPECT_TRUE(steady.alive());
    const Json seen = status();
    EXPECT_EQ(seen["event_source"], "bpf");
    Json conditions = Json::array();
    for (const Json& condition : seen["conditions"]) {
      conditions.push_back({{"type", condition["type"]}, {"status", condition["status"]}});
    }
    stories.push_back({{"eviction", essence(record)}, {"conditions", conditions}});
    daemon_.reset();
    ASSERT_TRUE(tree_->kill_all());
    for (const Actor& actor : actors_) {
      ASSERT_TRUE(tree_->remove_pod(actor.pod));
    }
    actors_.clear();
    ASSERT_TRUE(tree_->limit_memory(Bytes{std::int64_t{8} << 30}));
  }
  EXPECT_EQ(stories[0], stories[1]);
}

}  // namespace
}  // namespace evictd::daemon::test
