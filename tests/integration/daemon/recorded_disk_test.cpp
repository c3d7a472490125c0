// SPDX-License-Identifier: Apache-2.0
// What the daemon recorded of disks and of limits on local storage is replayed by evictctl.
#include "disk_arena.h"

namespace evictd::daemon::test {
namespace {

using load::LoadKind;

class RecordedDisks : public DiskArena {
 protected:
  [[nodiscard]] std::string recording() const { return scratch_->path() / "recording"; }
  void record(const Json& config) {
    arguments_ = {"--record", recording()};
    start_daemon(config);
  }
  [[nodiscard]] Json replay(std::vector<std::string> arguments = {}) const {
    std::vector<std::string> argv{EVICTCTL, "replay", recording(), "--json"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const ProgramEnd told = run_to_end(scratch_->path(), std::move(argv));
    EXPECT_EQ(told.exit_status, 0) << told.output;
    return Json::parse(told.output, nullptr, false);
  }
};

/// The victim is measured and grows no more before the threshold is met by a file of no pod: what
/// it would go on holding does not depend on how often the daemon came to look.
TEST_F(RecordedDisks, DiskEvictionIsReplayedAndWouldHaveComeLater) {
  add_holder({.name = "steady"}, 8 * kMiB);
  Actor& largest = add_holder({.name = "largest"}, 64 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["podStorage"] = {{"interval", "100ms"}};
  record(config);
  await_status([&](const Json& seen) {
    const Json storage = pod_in(seen, largest.pod.uid)["storage"];
    return storage.is_object() && storage["ephemeral_bytes"] >= 64 * kMiB;
  });
  static_cast<void>(add_ballast(80 * kMiB));
  ASSERT_TRUE(largest.await_end());
  await_record(largest);
  ASSERT_TRUE(daemon_->stop());

  const Json verified = replay();
  EXPECT_EQ(verified["identical"], true) << verified.dump(1);
  EXPECT_EQ(verified["evictions"], 1);

  const Json would = replay({"--without-events", "--interval", "10s"});
  ASSERT_FALSE(would["evictions"].empty()) << would.dump(1);
  const Json line = would["evictions"][0];
  EXPECT_EQ(line["recorded"]["uid"], largest.pod.uid) << would.dump(1);
  // All three are on one filesystem here; the first by name is acted on.
  EXPECT_EQ(line["recorded"]["signal"], "containerfs.available");
  ASSERT_TRUE(line["instead"].is_object()) << would.dump(1);
  EXPECT_EQ(line["instead"]["uid"], largest.pod.uid);
  EXPECT_GT(line["later_ns"], 0);
}

TEST_F(RecordedDisks, AnEvictionForALocalLimitIsReplayed) {
  add_holder({.name = "larger"}, 16 * kMiB);
  Actor& limited = add_filler({.name = "limited", .empty_dir_limit = Bytes{4 * kMiB}},
                              LoadKind::kFileBytes, 8 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["podStorage"] = {{"interval", "100ms"}};
  record(config);
  limited.load.go();
  ASSERT_TRUE(limited.await_end());
  await_record(limited);
  ASSERT_TRUE(daemon_->stop());

  const Json verified = replay();
  EXPECT_EQ(verified["identical"], true) << verified.dump(1);
  EXPECT_EQ(verified["evictions"], 1) << verified.dump(1);
  const Json line = replay({"--compat", "1.26"})["evictions"][0];
  EXPECT_EQ(line["recorded"]["local_limit"], "emptydirfs.limit") << line.dump(1);
  EXPECT_EQ(line["instead"]["local_limit"], "emptydirfs.limit");
  EXPECT_EQ(line["instead"]["grace_seconds"], 0);
}

TEST_F(RecordedDisks, WhatCollectorsFreedIsReplayed) {
  add_holder({.name = "holder"}, 8 * kMiB);
  const std::filesystem::path ballast = add_ballast(120 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["reclaim"] = {{"imagesCommand", {"/bin/rm", "-v", ballast.string()}}};
  record(config);
  await_status([](const Json& seen) {
    return seen["counters"]["storage"]["collector_runs"] == 1 &&
           !signal_in(seen, "nodefs.available")["met"].get<bool>();
  });
  ASSERT_TRUE(daemon_->stop());

  const Json verified = replay();
  EXPECT_EQ(verified["identical"], true) << verified.dump(1);
  EXPECT_EQ(verified["evictions"], 0);
  const Json would = replay({"--compat", "1.32"});
  EXPECT_EQ(would["evictions"].size(), 0U) << would.dump(1);
}

}  // namespace
}  // namespace evictd::daemon::test
