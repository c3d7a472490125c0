// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "disk_arena.h"

namespace evictd::daemon::test {
namespace {

using load::LoadKind;

Json row_of(const Json& record, std::string_view what) {
  for (const Json& row : record["release"]) {
    if (row["what"] == what) {
      return row["state"];
    }
  }
  return nullptr;
}

class DiskPressure : public DiskArena, public testing::WithParamInterface<Source> {};
INSTANTIATE_TEST_SUITE_P(BySource, DiskPressure, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(DiskPressure, ThePodThatFillsTheDiskDiesAndItsDataGoes) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  const Actor& important = add_holder({.name = "important", .priority = 1000}, 16 * kMiB);
  Actor& filler = add_filler({.name = "filler"}, LoadKind::kFileBytes, 1024 * kMiB);
  Json config = disk_config(GetParam());
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  start_daemon(config);

  filler.load.go();
  const auto end = filler.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json after = await_status([](const Json& seen) {
    return signal_in(seen, "nodefs.available")["available"].get<std::int64_t>() > kDiskHeadroom &&
           !signal_in(seen, "nodefs.available")["met"].get<bool>();
  });
  EXPECT_TRUE(has_condition(after, "DiskPressure"));
  EXPECT_EQ(after["counters"]["evictions"], 1);
  const Json record = await_record(filler);
  EXPECT_EQ(record["trigger"], "disk");
  EXPECT_EQ(record["resource"], "ephemeral-storage");
  EXPECT_EQ(record["ranking"][0]["name"], "filler");
  EXPECT_EQ(record["ranking"][0]["source"], "walk");
  EXPECT_NE(record["message"].get<std::string>().find("low on resource: ephemeral-storage"),
            std::string::npos);
  EXPECT_EQ(row_of(record, "processes"), "gone");
  EXPECT_EQ(row_of(record, "containers"), "unknown");
  EXPECT_EQ(row_of(record, "data"), "removed");
  EXPECT_TRUE(steady.alive());
  EXPECT_TRUE(important.alive());
}

TEST_P(DiskPressure, ThePodThatMakesMostFilesDies) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  Actor& maker = add_filler({.name = "maker"}, LoadKind::kInodes, 1'000'000);
  Json config = disk_config(GetParam());
  config["evictionHard"] = {{"nodefs.inodesFree", "50%"}};
  start_daemon(config);

  maker.load.go();

  ASSERT_TRUE(maker.await_end());
  EXPECT_EQ(await_record(maker)["resource"], "inodes");
  EXPECT_TRUE(steady.alive());
}

using FailedRemoval = DiskArena;

TEST_F(FailedRemoval, NobodyElseDiesWhileAVictimKeepsDataThatCannotBeRemoved) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  Actor& keeper = add_filler({.name = "keeper"}, LoadKind::kFileBytes, kMiB);
  add_immutable_file(keeper, 120 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};

  start_daemon(config);

  ASSERT_TRUE(keeper.await_end()) << log();
  await_status([&](const Json&) { return row_of(await_record(keeper), "data") == "failed"; });
  const Json before = status();
  const Json after = await_status([&](const Json& seen) {
    return seen["counters"]["passes"] != before["counters"]["passes"] &&
           seen["last_pass"]["reason"] == "release_pending";
  });
  EXPECT_EQ(after["counters"]["evictions"], 1) << log();
  EXPECT_EQ(row_of(await_record(keeper), "cgroup"), "there");
  EXPECT_TRUE(steady.alive());
}

using LocalStorage = DiskArena;

TEST_F(LocalStorage, APodThatExceedsTheLimitOfItsEmptyDirDies) {
  const Actor& larger = add_holder({.name = "larger"}, 16 * kMiB);
  Actor& limited = add_filler({.name = "limited", .empty_dir_limit = Bytes{4 * kMiB}},
                              LoadKind::kFileBytes, 8 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["podStorage"] = {{"interval", "100ms"}};
  start_daemon(config);

  limited.load.go();

  ASSERT_TRUE(limited.await_end());
  const Json record = await_record(limited);
  EXPECT_EQ(record["local_limit"], "emptydirfs.limit");
  EXPECT_EQ(record["signal"], "");
  EXPECT_EQ(record["message"], "Usage of EmptyDir volume \"data\" exceeds the limit \"4194304\". ");
  const Json& measured = record["local_storage"];
  EXPECT_EQ(measured["what"], "volume");
  EXPECT_EQ(measured["name"], "data");
  EXPECT_EQ(measured["limit_bytes"], 4 * kMiB);
  EXPECT_GT(measured["used_bytes"], measured["limit_bytes"]);
  EXPECT_EQ(record["brakes"]["evictions_last_minute"], 1);
  EXPECT_FALSE(record["observations"].empty());
  EXPECT_TRUE(larger.alive());
}

TEST_F(LocalStorage, ADryRunNamesAPodOverItsLimitOnce) {
  Actor& limited = add_filler({.name = "limited", .empty_dir_limit = Bytes{4 * kMiB}},
                              LoadKind::kFileBytes, 8 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["podStorage"] = {{"interval", "100ms"}};
  config["dryRun"] = true;
  start_daemon(config);

  limited.load.go();

  const Json named = await_record(limited, "");
  EXPECT_EQ(named["dry_run"], true);
  const auto measurements = [](const Json& seen) {
    return seen["counters"]["storage"]["measurements"].get<std::uint64_t>();
  };
  const std::uint64_t before = measurements(status());
  const Json later =
      await_status([&](const Json& seen) { return measurements(seen) > before + 5; });
  EXPECT_EQ(later["counters"]["evictions"], 1);
  EXPECT_EQ(later["counters"]["not_begun"], 0);
  EXPECT_NE(log().find("would evict pod"), std::string::npos);
  EXPECT_EQ(log().find("=-1"), std::string::npos) << "of what there is none of: " << log();
  EXPECT_TRUE(limited.alive());
}

TEST_F(LocalStorage, ProtectedPodOverItsLimitIsSparedWithAReason) {
  Actor& critical = add_filler(
      {.name = "critical", .priority = 2'000'000'000, .empty_dir_limit = Bytes{4 * kMiB}},
      LoadKind::kFileBytes, 8 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["podStorage"] = {{"interval", "100ms"}};
  start_daemon(config);

  critical.load.go();

  Json spared;
  await_status([&](const Json& /*status*/) {
    const Json answer = ask("records");
    for (const Json& record : answer["records"]) {
      for (const Json& candidate : record["local_candidates"]) {
        if (candidate["uid"] == critical.pod.uid &&
            !candidate["local_limit"].get<std::string>().empty()) {
          spared = candidate;
        }
      }
    }
    return !spared.is_null();
  });
  EXPECT_EQ(spared["local_limit"], "emptydirfs.limit");
  EXPECT_EQ(spared["passed_over"], "critical");
  EXPECT_EQ(spared["local_storage"]["limit_bytes"], 4 * kMiB);
  EXPECT_TRUE(critical.alive());
}

using Reclaim = DiskArena;

TEST_F(Reclaim, WhatACommandFreesCostsNobodyHisLife) {
  const Actor& holder = add_holder({.name = "holder"}, 8 * kMiB);
  const std::filesystem::path ballast = add_ballast(120 * kMiB);
  Json config = disk_config(Source::kEvents);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["reclaim"] = {{"imagesCommand", {"/bin/rm", "-v", ballast.string()}}};
  start_daemon(config);

  const Json after = await_status([](const Json& seen) {
    return seen["counters"]["storage"]["collector_runs"] == 1 &&
           !signal_in(seen, "nodefs.available")["met"].get<bool>();
  });

  EXPECT_EQ(after["counters"]["evictions"], 0);
  EXPECT_EQ(after["counters"]["storage"]["collector_failures"], 0);
  EXPECT_NE(log().find("collected images"), std::string::npos);
  EXPECT_TRUE(holder.alive());
}

TEST_F(Reclaim, ACommandRunsAgainForAPressureThatIsBack) {
  const Actor& holder = add_holder({.name = "holder"}, 8 * kMiB);
  const std::filesystem::path ballast = add_ballast(120 * kMiB);
  Json config = disk_config(Source::kEvents);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["reclaim"] = {{"imagesCommand", {"/bin/rm", ballast.string()}}};
  start_daemon(config);
  const auto await_runs = [this](int runs) {
    return await_status([runs](const Json& seen) {
      return seen["counters"]["storage"]["collector_runs"] == runs &&
             !signal_in(seen, "nodefs.available")["met"].get<bool>();
    });
  };
  await_runs(1);

  static_cast<void>(add_ballast(120 * kMiB));

  EXPECT_EQ(await_runs(2)["counters"]["evictions"], 0);
  EXPECT_TRUE(holder.alive());
}

TEST_F(Reclaim, FailingCommandsOutputIsAValidTextLogField) {
  Actor& holder = add_holder({.name = "holder"}, 8 * kMiB);
  static_cast<void>(add_ballast(120 * kMiB));
  Json config = disk_config(Source::kEvents);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["reclaim"] = {{"imagesCommand", {"/bin/sh", "-c", "printf 'no\\377room\\n'; exit 3"}}};
  start_daemon(config);

  ASSERT_TRUE(holder.await_end()) << "nothing was freed, so a pod had to go";

  EXPECT_NE(log().find("the command that collects images failed: exit status 3, continuing "
                       "without what it would have freed output=\"no\uFFFDroom\\n\""),
            std::string::npos)
      << log();
}

TEST_F(Reclaim, EvictionRecordNamesTheCommandThatFreedTooLittle) {
  Actor& holder = add_holder({.name = "holder"}, 8 * kMiB);
  static_cast<void>(add_ballast(120 * kMiB));
  Json config = disk_config(Source::kEvents);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["reclaim"] = {{"imagesCommand", {"/bin/sh", "-c", "exit 3"}}};
  start_daemon(config);

  ASSERT_TRUE(holder.await_end()) << "nothing was freed, so a pod had to go";

  const Json record = await_record(holder, "released");
  ASSERT_TRUE(record["reclaim"].is_object()) << record.dump();
  EXPECT_TRUE(record["reclaim"]["available_before"].is_number());
  ASSERT_EQ(record["reclaim"]["collectors"].size(), 1U);
  EXPECT_EQ(record["reclaim"]["collectors"][0]["argv"], Json({"/bin/sh", "-c", "exit 3"}));
  EXPECT_EQ(record["reclaim"]["collectors"][0]["outcome"], "failed");
  EXPECT_EQ(record["reclaim"]["collectors"][0]["end"], "exit status 3");
}

TEST_F(Reclaim, ACommandThatHangsDelaysNoMemoryEvictionAndIsKilled) {
  Actor& holder = add_holder({.name = "holder"}, 8 * kMiB);
  static_cast<void>(add_ballast(120 * kMiB));
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = disk_config(Source::kEvents);
  config["evictionHard"] = {{"allocatableMemory.available", std::to_string(kHeadroom)},
                            {"nodefs.available", std::to_string(kDiskHeadroom)}};
  // What the last pass was about says nothing of it: another one may have come since.
  const std::filesystem::path runs = scratch_->path() / "runs";
  config["reclaim"] = {
      {"imagesCommand", {"/bin/sh", "-c", "echo > " + runs.string() + " && exec sleep 1000"}},
      {"imagesTimeout", "10s"}};
  start_daemon(config);
  await_status([&](const Json&) { return std::filesystem::exists(runs); });

  hog.load.go();
  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(status()["counters"]["storage"]["collector_failures"], 0) << "it had ended already";

  ASSERT_TRUE(holder.await_end()) << "nothing was freed, so a pod had to go";
  EXPECT_EQ(status()["counters"]["storage"]["collector_failures"], 1);
  EXPECT_NE(log().find("killed after its timeout"), std::string::npos);
}

}  // namespace
}  // namespace evictd::daemon::test
