// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>

#include "arena.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

class Reload : public ArenaBySource {
 protected:
  /// A threshold that is not met by a hog.
  static Json with_low_threshold(Json config) {
    config["evictionHard"] = {{"allocatableMemory.available", "1Mi"}};
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Reload, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Reload, ARaisedThresholdEndsAPodThatWasFineBefore) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(with_low_threshold(memory_config(GetParam())));
  hog.load.go();
  ASSERT_TRUE(hog.load.await_holding(kPatience));
  EXPECT_EQ(status()["counters"]["evictions"], 0);

  reload(memory_config(GetParam()).dump(2));

  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(await_record(hog)["threshold"], std::to_string(kHeadroom));
  EXPECT_EQ(lines_with(log(), "configuration reloaded"), 1U) << log();
}

TEST_P(Reload, TheKernelWatchesTheNewThreshold) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(with_low_threshold(memory_config(GetParam())));
  reload(memory_config(GetParam()).dump(2));

  hog.load.go();

  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(asked_for_by_kernel(await_record(hog)), GetParam() == Source::kEvents);
}

TEST_P(Reload, ADryRunCanBeSwitchedOn) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = memory_config(GetParam());
  start_daemon(config);
  const auto before = status()["counters"]["passes"]["regular"].get<std::uint64_t>();
  config["dryRun"] = true;
  reload(config.dump(2));
  // A new configuration is followed by a pass.
  await_status([&](const Json& now) { return now["counters"]["passes"]["regular"] > before; });
  EXPECT_EQ(status()["dry_run"], true);

  hog.load.go();

  EXPECT_EQ(await_record(hog, "")["dry_run"], true);
  EXPECT_TRUE(hog.alive());
}

TEST_P(Reload, WarnsOnceOfWhatTheNewFileCanHardlyMean) {
  limit_memory();
  Json config = memory_config(GetParam());
  start_daemon(config);
  const std::string_view warning =
      "evictionMinimumReclaim[pid.available]: no threshold has this signal";
  EXPECT_EQ(lines_with(log(), warning), 0U) << log();
  config["evictionMinimumReclaim"] = {{"pid.available", "1"}};

  reload(config.dump(2));
  EXPECT_EQ(lines_with(log(), warning), 1U) << log();

  config["lockMemory"] = false;
  reload(config.dump(2));
  EXPECT_EQ(
      lines_with(
          log(),
          "lockMemory: false: a change needs a restart, until then true holds; allowed: true"),
      1U)
      << log();
  EXPECT_EQ(lines_with(log(), warning), 1U) << "of a file that was refused\n" << log();
}

TEST_P(Reload, ABadFileKeepsTheOldConfigurationAndIsReportedInOneLine) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));

  reload("dryRun: true\nevictionHard:\n  memory.available: 1Gigabyte\n");

  EXPECT_EQ(lines_with(log(), "evictd.yaml:3: evictionHard[memory.available]"), 1U) << log();
  EXPECT_EQ(lines_with(log(), "continuing without the new configuration"), 1U) << log();
  EXPECT_EQ(status()["dry_run"], false);
  hog.load.go();
  ASSERT_TRUE(hog.await_end());
}

TEST_P(Reload, ASignalThatCannotBeReadIsWarnedOfOnce) {
  limit_memory();
  Json config = memory_config(GetParam());
  config["pidAvailableSource"] = "podRoot";
  config["evictionHard"]["pid.available"] = "10";
  start_daemon(config);
  const std::string_view warning = "no reading of pid.available";
  // No limit is set on the tasks of the tree.
  await_status([&](const Json&) { return lines_with(log(), warning) != 0; });

  config["pidAvailableSource"] = "node";
  reload(config.dump(2));
  await_status([&](const Json&) { return lines_with(log(), "the signal is read again") != 0; });

  EXPECT_EQ(lines_with(log(), warning), 1U) << log();
}

TEST_P(Reload, AStaticPodWhoseManifestTurnedBadIsSparedStill) {
  const std::filesystem::path manifests = scratch_->path() / "static";
  std::filesystem::create_directory(manifests);
  const Actor& ordinary = add({.name = "ordinary"}, kModest);
  const stage::StagedPod pod = make_pod({.name = "etcd"});
  const std::filesystem::path file = manifests / "etcd.json";
  must(stage::replace_file(file, stage::manifest(pod.spec, pod.uid)));
  Actor& hog = start_hog(pod, kPastThreshold);
  limit_memory();
  Json config = memory_config(GetParam());
  config.erase("manifestDirectories");
  config["staticManifestDirectories"] = {manifests.string()};
  config["evictUnknownPods"] = true;
  start_daemon(config);
  must(stage::replace_file(file, R"({"kind": "Po)"));
  await_status([](const Json& now) { return !now["problems"].empty(); });

  reload(config.dump(2));

  EXPECT_EQ(lines_with(log(), "configuration reloaded"), 1U) << log();
  EXPECT_EQ(pod_in(status(), pod.uid)["protection"], "static");
  EXPECT_EQ(status()["problems"].size(), 1U);
  hog.load.go();
  ASSERT_TRUE(hog.load.await_holding(kPatience));
  await_status([&](const Json& now) { return !ordinary.alive() && now["last_pass"].is_object(); });
  EXPECT_TRUE(hog.alive());
}

TEST_P(Reload, AChangeThatNeedsARestartIsRefusedAsAWhole) {
  limit_memory();
  const Json config = memory_config(GetParam());
  start_daemon(config);
  Json changed = config;
  changed["dryRun"] = true;
  changed["lockMemory"] = false;

  reload(changed.dump(2));

  EXPECT_EQ(
      lines_with(
          log(),
          "lockMemory: false: a change needs a restart, until then true holds; allowed: true"),
      1U)
      << log();
  EXPECT_EQ(status()["dry_run"], false);
}

}  // namespace
}  // namespace evictd::daemon::test
