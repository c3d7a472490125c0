// SPDX-License-Identifier: Apache-2.0
// The node's own values against its files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// One line of /proc/meminfo in bytes.
std::int64_t meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  std::string rest;
  while (file >> name >> kib && std::getline(file, rest)) {
    if (name == key + ":") {
      return kib * 1024;
    }
  }
  return -1;
}

/// What the files say node usage is: page cache and anonymous pages, as the root cgroup counts
/// them.
std::int64_t usage_by_files() {
  return meminfo("Cached") + meminfo("Buffers") + meminfo("AnonPages") + meminfo("SwapCached");
}

std::int64_t tasks_by_files() {
  std::ifstream file("/proc/loadavg");
  std::string word;
  file >> word >> word >> word >> word;
  return std::stoll(word.substr(word.find('/') + 1));
}

/// Others use the machine during a test: read until two readings of the files around ours agree
/// within `slack`, so that ours must lie between them.
template <typename Files, typename Ours>
void expect_between(Files files, Ours ours, std::int64_t slack) {
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t value = 0;
  for (int attempt = 0; attempt < 200; ++attempt) {
    before = files();
    value = ours();
    after = files();
    if (std::abs(after - before) <= slack) {
      break;
    }
  }
  EXPECT_GE(value, std::min(before, after) - slack);
  EXPECT_LE(value, std::max(before, after) + slack);
}

class Node : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(probe_, nullptr); }

  NodeUsage refreshed() {
    EXPECT_TRUE(probe_->refresh());
    return probe_->node();
  }

  std::unique_ptr<probe::Probe> probe_ = load_probe();
};

/// Each CPU holds back up to 125 pages of each of the three items (kernel-facts;
/// docs/kernel_support.md).
std::int64_t node_bound() {
  return 3 * 125 * ::sysconf(_SC_PAGESIZE) * ::sysconf(_SC_NPROCESSORS_ONLN) + kMiB;
}

TEST_F(Node, UsageEqualsTheFilesWithinTheStatedBound) {
  expect_between(
      usage_by_files, [&] { return refreshed().usage.value; }, node_bound());
}

TEST_F(Node, InactiveFileEqualsTheFilesWithinTheStatedBound) {
  expect_between([] { return meminfo("Inactive(file)"); },
                 [&] { return refreshed().inactive_file.value; }, node_bound());
}

TEST_F(Node, TasksAreNotBelowWhatLoadavgShows) {
  // A pid stays allocated while it names a process group or session, so ours may be a few more.
  expect_between(
      tasks_by_files, [&] { return refreshed().tasks; }, 32);
}

TEST_F(Node, WorkingSetCrossingIsPushed) {
  Recorder recorder(*probe_);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  const NodeUsage now = refreshed();
  const auto threshold =
      static_cast<std::uint64_t>((now.usage - now.inactive_file).value + 300 * kMiB);
  const std::vector<probe::WatchedThreshold> thresholds = {
      {.id = 1, .signal = probe::Signal::kNodeWorkingSet, .value = threshold}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  // More than the distance, because others may free memory meanwhile.
  ASSERT_TRUE(child.run(Work::kTouchHuge, 900 * kMiB));
  ASSERT_TRUE(recorder.wait_until([&] { return recorder.count(1, probe::Direction::kUp) != 0; }));
  EXPECT_EQ(recorder.thresholds.front().signal, probe::Signal::kNodeWorkingSet);
  EXPECT_GT(recorder.thresholds.front().value, threshold);
}

}  // namespace
}  // namespace evictd::test
