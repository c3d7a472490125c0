// SPDX-License-Identifier: Apache-2.0
#include "cli/node_facts.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/check_config.h"
#include "support/fake_tree.h"

namespace evictd::cli {
namespace {

/// Nobody is asked for a rate.
NodeFactOptions no_questions() {
  NodeFactOptions options;
  options.pod_rate = "1";
  return options;
}

config::NodeFacts facts_under(const std::string& file,
                              const NodeFactOptions& options = no_questions()) {
  const Result<config::Config> config = config::parse(file, "evictd.yaml");
  EXPECT_TRUE(config.has_value()) << config.error().message();
  const Result<config::NodeFacts> facts = look_at_node(options, *config);
  EXPECT_TRUE(facts.has_value()) << facts.error().message();
  return facts.value_or(config::NodeFacts());
}

std::int64_t number_in(const char* path) {
  std::int64_t number = 0;
  std::ifstream(path) >> number;
  return number;
}

struct statvfs filesystem_of(const std::string& path) {
  struct statvfs answer {};
  EXPECT_EQ(::statvfs(path.c_str(), &answer), 0);
  return answer;
}

TEST(NodeFacts, WhatIsNoRegularFileIsFoundWhereOneWouldBeWritten) {
  const test::FakeTree tree;
  tree.make_directory("/records.1");
  tree.write("/records", "");
  const std::string state = tree.real("/state");
  ASSERT_EQ(::mkfifo(state.c_str(), 0600), 0);
  const config::NodeFacts facts =
      facts_under("stateFile: " + state + "\nrecordFile: " + tree.real("/records").string() + "\n");
  EXPECT_EQ(facts.irregular_files, (std::vector<std::string>{state, tree.real("/records.1")}));
}

TEST(NodeFacts, ASocketIsWhatBelongsInThePlaceOfOne) {
  const test::FakeTree tree;
  const std::string there = tree.real("/there");
  ASSERT_EQ(::mkfifo(there.c_str(), 0600), 0);
  EXPECT_TRUE(facts_under("notifySocket: " + there + "\n").irregular_files.empty());
  EXPECT_TRUE(facts_under("controlSocket: " + there + "\n").irregular_files.empty());
}

TEST(NodeFacts, DirectoriesOfManifestsThatAreNotThereAreFound) {
  const test::FakeTree tree;
  tree.make_directory("/there");
  const std::string there = tree.real("/there");
  const std::string pods = tree.real("/pods");
  const std::string fixed = tree.real("/static");
  const config::NodeFacts facts = facts_under("manifestDirectories: [" + there + ", " + pods +
                                              "]\nstaticManifestDirectories: [" + fixed + "]\n");
  EXPECT_EQ(facts.missing_paths, (std::vector<std::string>{pods, fixed}));
}

TEST(NodeFacts, MissingPodRootIsReportedUnlessGlobsSuffice) {
  const std::string nowhere = "cgroupRoot: /evictd-test-nowhere\n";
  const config::NodeFacts facts = facts_under(nowhere);
  if (!facts.missing_controller.empty()) {
    EXPECT_TRUE(facts.missing_pod_root.empty());
    return;
  }
  EXPECT_NE(facts.missing_pod_root.find("no pod root for cgroupRoot \"/evictd-test-nowhere\": "),
            std::string::npos)
      << facts.missing_pod_root;
  EXPECT_NE(facts.missing_pod_root.find(" has none of /evictd-test-nowhere/kubepods, "),
            std::string::npos)
      << facts.missing_pod_root;
  EXPECT_EQ(facts_under(nowhere + "podGlobs: [{glob: /a/*}]\n").missing_pod_root, "");
}

TEST(NodeFacts, TheMostTasksAreTheSmallerOfTheKernelsTwoLimits) {
  EXPECT_EQ(facts_under("").max_pids, std::min(number_in("/proc/sys/kernel/pid_max"),
                                               number_in("/proc/sys/kernel/threads-max")));
  EXPECT_EQ(facts_under("pidAvailableSource: podRoot\n").max_pids, std::nullopt);
}

TEST(NodeFacts, ImagefsIsItsPathOrTheFirstExistingRuntimeRoot) {
  const test::FakeTree tree;
  const struct statvfs there = filesystem_of(tree.path());
  for (const std::string& file : {"imagefsPath: " + tree.path() + "\n",
                                  "containerRuntimeRoots: [/nonexistent, " + tree.path() + "]\n"}) {
    const config::NodeFacts facts = facts_under(file);
    EXPECT_EQ(facts.imagefs_bytes, static_cast<std::int64_t>(there.f_blocks * there.f_frsize));
    EXPECT_EQ(facts.imagefs_inodes.value_or(0), static_cast<std::int64_t>(there.f_files));
  }
  const config::NodeFacts unknown = facts_under("imagefsPath: /nonexistent\n");
  EXPECT_EQ(unknown.imagefs_bytes, std::nullopt);
  EXPECT_EQ(unknown.imagefs_inodes, std::nullopt);
}

TEST(NodeFacts, WithoutARuntimeImagesAreOnNodefs) {
  const test::FakeTree tree;
  const config::NodeFacts facts =
      facts_under("containerRuntimeRoots: [/nonexistent]\nnodefsPath: " + tree.path() + "\n");
  const struct statvfs there = filesystem_of(tree.path());
  EXPECT_EQ(facts.imagefs_bytes, static_cast<std::int64_t>(there.f_blocks * there.f_frsize));
  EXPECT_EQ(facts.imagefs_inodes, facts.nodefs_inodes);
}

TEST(NodeFacts, GivenStorageCapacityHoldsForASharedImagefs) {
  const test::FakeTree tree;
  NodeFactOptions options = no_questions();
  options.storage_capacity = "5Gi";
  const config::NodeFacts facts =
      facts_under("nodefsPath: " + tree.path() + "\nimagefsPath: " + tree.path() + "\n", options);
  EXPECT_EQ(facts.ephemeral_storage_bytes, std::int64_t{5} << 30);
  EXPECT_EQ(facts.imagefs_bytes, std::int64_t{5} << 30);
}

TEST(NodeFacts, CheckConfigWarnsOfPidAndImagefsReclaimTooLarge) {
  const test::FakeTree tree;
  tree.write("/evictd.yaml", "evictUnknownPods: true\nimagefsPath: " + tree.path() +
                                 "\nevictionHard: {pid.available: 10%, imagefs.available: 15%}\n"
                                 "evictionMinimumReclaim: {pid.available: 95%, "
                                 "imagefs.available: 90%}\n");
  CheckConfigOptions options;
  options.sources.config_file = tree.real("/evictd.yaml");
  options.look_at_node = [](const config::Config& config) {
    return look_at_node(no_questions(), config);
  };
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(check_config(options, out, errors), 0);
  EXPECT_NE(errors.str().find("evictionMinimumReclaim[pid.available]: 95% above the threshold 10% "
                              "is more than the capacity"),
            std::string::npos)
      << errors.str();
  EXPECT_NE(errors.str().find("evictionMinimumReclaim[imagefs.available]: 90% above the threshold "
                              "15% is more than the capacity"),
            std::string::npos)
      << errors.str();
}

}  // namespace
}  // namespace evictd::cli
