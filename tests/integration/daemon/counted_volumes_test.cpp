// SPDX-License-Identifier: Apache-2.0
// Pods whose volumes have each a project of their own, on a filesystem that counts projects.
#include <csignal>
#include <cstdint>

#include "disk_arena.h"
#include "must.h"
#include "support/file_project.h"

namespace evictd::daemon::test {
namespace {

using load::LoadKind;

class CountedVolumes : public DiskArena {
 protected:
  void SetUp() override {
    DiskArena::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (const Result<> made = make_disk(true); !made) {
      GTEST_SKIP() << "no project quotas here: " << made.error().message();
    }
  }

  void prepare(const std::filesystem::path& volume) override {
    if (counting_) {
      evictd::test::give_project(volume, next_project_++);
    }
  }

  /// Whether the next volume has a project.
  bool counting_ = true;

 private:
  std::uint32_t next_project_ = 1'048'577;
};

TEST_F(CountedVolumes, StatusTellsByWhichMethodAndHowOldItIs) {
  const Actor& counted = add_holder({.name = "counted"}, 8 * kMiB);
  counting_ = false;
  const Actor& walked = add_holder({.name = "walked"}, 8 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["podStorage"] = {{"interval", "100ms"}};
  start_daemon(config);

  const Json seen = await_status([&](const Json& status) {
    const Json pod = pod_in(status, counted.pod.uid);
    return pod.is_object() && pod["storage"].is_object() &&
           pod_in(status, walked.pod.uid)["storage"].is_object();
  });

  const Json storage = pod_in(seen, counted.pod.uid)["storage"];
  EXPECT_EQ(storage["method"], "quota");
  EXPECT_EQ(storage["complete"], true);
  EXPECT_GE(storage["age_ms"], 0);
  EXPECT_GE(storage["volumes"][0]["bytes"], 8 * kMiB);
  EXPECT_LT(storage["volumes"][0]["bytes"], 9 * kMiB);
  EXPECT_EQ(storage["volumes"][0]["inodes"],
            pod_in(seen, walked.pod.uid)["storage"]["volumes"][0]["inodes"]);
  EXPECT_EQ(pod_in(seen, walked.pod.uid)["storage"]["method"], "walk");
}

TEST_F(CountedVolumes, APodGoesForADiskByItsQuotaAndTheRecordSaysSo) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  Actor& filler = add_filler({.name = "filler"}, LoadKind::kFileBytes, 1024 * kMiB);
  Json config = disk_config(Source::kEvents);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  start_daemon(config);

  filler.load.go();
  const auto end = filler.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json record = await_record(filler);
  ASSERT_EQ(record["ranking"].size(), 2U);
  for (const Json& candidate : record["ranking"]) {
    EXPECT_EQ(candidate["source"], "quota");
    EXPECT_EQ(candidate["counted"], "whole") << "there is nothing to walk";
  }
  EXPECT_EQ(record["ranking"][0]["name"], "filler");
  EXPECT_TRUE(steady.alive());
}

TEST_F(CountedVolumes, TheRecordOfAnExceededLimitNamesTheQuotaAndItsAge) {
  Actor& limited = add_filler({.name = "limited", .empty_dir_limit = Bytes{4 * kMiB}},
                              LoadKind::kFileBytes, 8 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["podStorage"] = {{"interval", "100ms"}};
  start_daemon(config);

  limited.load.go();

  ASSERT_TRUE(limited.await_end());
  const Json measured = await_record(limited)["local_storage"];
  EXPECT_EQ(measured["method"], "quota");
  EXPECT_EQ(measured["complete"], true);
  EXPECT_GE(measured["age_us"], 0);
  EXPECT_GT(measured["used_bytes"], 4 * kMiB);
}

}  // namespace
}  // namespace evictd::daemon::test
