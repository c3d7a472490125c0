// SPDX-License-Identifier: Apache-2.0
// The node's own values against its files.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recorder.h"
#include "support/test_swap.h"
#include "test_child.h"

namespace evictd::test {
namespace {

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

/// A value of ours and what the files said before and after it.
struct Surrounded {
  std::int64_t before = 0;
  std::int64_t value = 0;
  std::int64_t after = 0;

  [[nodiscard]] std::int64_t spread() const { return std::abs(after - before); }
};

/// Others use the machine during a test: reads until the files agree within `slack` around ours.
/// Where they never do, the reading during which they moved least.
template <typename Files, typename Ours>
Surrounded calmest(Files files, Ours ours, std::int64_t slack) {
  std::optional<Surrounded> best;
  for (int attempt = 0; attempt < 1000 && (!best || best->spread() > slack); ++attempt) {
    const Surrounded reading{.before = files(), .value = ours(), .after = files()};
    if (!best || reading.spread() < best->spread()) {
      best = reading;
    }
  }
  return *best;
}

template <typename Files, typename Ours>
void expect_between(Files files, Ours ours, std::int64_t slack) {
  const Surrounded reading = calmest(files, ours, slack);
  EXPECT_GE(reading.value, std::min(reading.before, reading.after) - slack);
  EXPECT_LE(reading.value, std::max(reading.before, reading.after) + slack);
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

/// Has the child take memory until the node's value is past a threshold and that was pushed. Others
/// may free more than the child took at any moment; then it takes more.
bool push_past(TestChild& child, Recorder& recorder, const std::function<bool()>& is_past,
               const std::function<bool()>& pushed) {
  constexpr int kSteps = 12;
  for (int step = 0; step < kSteps && !pushed(); ++step) {
    if (!child.run(Work::kTouch4K, 400 * kMiB)) {
      return false;
    }
    // Both are looked at each time that an event comes, and at the deadline.
    if (is_past() && !recorder.wait_until([&] { return pushed() || !is_past(); })) {
      return false;
    }
  }
  return pushed();
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
  const auto is_past = [&] {
    return usage_by_files() - meminfo("Inactive(file)") >
           static_cast<std::int64_t>(threshold) + node_bound();
  };
  const auto pushed = [&] { return recorder.count(1, probe::Direction::kUp) != 0; };
  ASSERT_TRUE(push_past(child, recorder, is_past, pushed));
  const probe::ThresholdCrossed crossing = recorder.first(1, probe::Direction::kUp);
  EXPECT_EQ(crossing.signal, probe::Signal::kNodeWorkingSet);
  EXPECT_GT(crossing.value, threshold);
}

class AtHand : public Node {
 protected:
  std::int64_t at_hand() { return refreshed().at_hand.value; }
  /// The sums of the same counters that the kernel shows.
  static std::int64_t by_files() {
    const std::set<std::string> parts = {"nr_free_pages", "nr_active_file", "nr_inactive_file",
                                         "nr_slab_reclaimable", "nr_kernel_misc_reclaimable"};
    std::ifstream file("/proc/vmstat");
    std::int64_t sum = 0;
    std::string name;
    for (std::int64_t pages = 0; file >> name >> pages;) {
      sum += parts.contains(name) ? pages : 0;
    }
    return sum * ::sysconf(_SC_PAGESIZE);
  }
  /// What readings a moment apart may differ by.
  static constexpr std::int64_t kApart = 4 * kMiB;

  Recorder recorder_{*probe_};
};

TEST_F(AtHand, EqualsTheFileWhileAProcessTakesAndGivesBackMemory) {
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  expect_between(
      by_files, [&] { return at_hand(); }, kApart);
  ASSERT_TRUE(child.run(Work::kTouch4K, 256 * kMiB));
  expect_between(
      by_files, [&] { return at_hand(); }, kApart);
  // Page cache is at hand as it was when it was free.
  ASSERT_TRUE(child.run(Work::kWriteFile, 64 * kMiB));
  expect_between(
      by_files, [&] { return at_hand(); }, kApart);
  ASSERT_TRUE(child.run(Work::kRelease));
  expect_between(
      by_files, [&] { return at_hand(); }, kApart);
}

TEST_F(AtHand, MovesWithMemAvailable) {
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  const auto available = [] { return meminfo("MemAvailable"); };
  const auto ours = [&] { return at_hand(); };
  // What the kernel keeps back of it moves too where others use much memory meanwhile: then again.
  bool agree = false;
  for (int round = 0; round < 10 && !agree; ++round) {
    const Surrounded apart = calmest(available, ours, kApart);
    ASSERT_TRUE(child.run(round % 2 == 0 ? Work::kTouch4K : Work::kRelease, 256 * kMiB));
    const Surrounded moved = calmest(available, ours, kApart);
    const std::int64_t slack = 3 * kApart + apart.spread() + moved.spread();
    agree = std::abs((moved.value - apart.value) - (moved.before - apart.before)) <= slack;
  }
  EXPECT_TRUE(agree);
}

TEST_F(AtHand, CrossingIsPushed) {
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  const auto threshold = static_cast<std::uint64_t>(probe::kNodeCeiling - at_hand() + 300 * kMiB);
  const std::vector<probe::WatchedThreshold> thresholds = {
      {.id = 2, .signal = probe::Signal::kNodeTaken, .value = threshold}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  const auto is_past = [&] {
    return probe::kNodeCeiling - by_files() > static_cast<std::int64_t>(threshold) + kApart;
  };
  const auto pushed = [&] { return recorder_.count(2, probe::Direction::kUp) != 0; };
  ASSERT_TRUE(push_past(child, recorder_, is_past, pushed));
  const probe::ThresholdCrossed crossing = recorder_.first(2, probe::Direction::kUp);
  EXPECT_EQ(crossing.signal, probe::Signal::kNodeTaken);
  EXPECT_GT(crossing.value, threshold);
}

TEST(AtHandPinned, ToNothingServesNoWatch) {
  probe::Options options;
  options.pins[probe::Purpose::kNodeAvailable] = "none";
  const std::unique_ptr<probe::Probe> probe = load_probe(options);
  ASSERT_NE(probe, nullptr);
  EXPECT_EQ(probe->ladder().chosen(probe::Purpose::kNodeAvailable), "");
  EXPECT_NE(probe->ladder().chosen(probe::Purpose::kNodeMemory), "");
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  ASSERT_TRUE(file.good()) << "write " << text << " to " << path;
}

class NodeWithSwap : public Node, public testing::WithParamInterface<std::string> {};

TEST_P(NodeWithSwap, UsageIsThatOfTheFilesWhilePagesAreSwappedOut) {
  if (!machine_is_ours()) {
    GTEST_SKIP() << "swap is added only in a machine of our own: vm.* runs it";
  }
  const bool zram = GetParam() == "zram";
  if (zram) {
    write_file("/sys/block/zram0/reset", "1");
    write_file("/sys/block/zram0/disksize", std::to_string(TestSwap::kSize));
  }
  const TestSwap swap(zram ? "/dev/zram0" : "/var/tmp/evictd-swap");
  ASSERT_TRUE(swap.on());
  Recorder recorder(*probe_);
  const TestCgroup cgroup = TestCgroup::create();
  cgroup.set_memory_limit(48 * kMiB);
  TestChild child(cgroup);
  ASSERT_TRUE(probe_->watch(0, cgroup.pod()));
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = probe::Signal::kCgroupUsage,
                                                            .cgroup = cgroup.memory_id(),
                                                            .cgroup_fd = cgroup.memory_fd(),
                                                            .value = 40 * kMiB}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kTouch4K, 128 * kMiB)) << "killed, although it could be swapped out";
  EXPECT_TRUE(recorder.wait_until([&] { return recorder.count(1, probe::Direction::kUp) != 0; }));
  EXPECT_GT(std::stoll(cgroup.read("memory.swap.current")), 48 * kMiB);
  expect_between(
      usage_by_files, [&] { return refreshed().usage.value; }, node_bound());
  EXPECT_LE(probe_->row(0).usage.value, 48 * kMiB);
  EXPECT_GE(probe_->row(0).usage.value, 32 * kMiB);
}

INSTANTIATE_TEST_SUITE_P(On, NodeWithSwap, testing::Values("file", "zram"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_F(Node, UsageIsThatOfTheFilesWithHugePagesInUse) {
  if (!machine_is_ours()) {
    GTEST_SKIP() << "huge pages are reserved only in a machine of our own: vm.* runs it";
  }
  constexpr std::int64_t kPages = 32;
  constexpr std::size_t kBytes = kPages * 2 * kMiB;
  write_file("/proc/sys/vm/nr_hugepages", std::to_string(kPages));
  void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  // The kernel counts them neither as anonymous nor as page cache: they are no usage of a cgroup.
  expect_between(
      usage_by_files, [&] { return refreshed().usage.value; }, node_bound());
  ::munmap(memory, kBytes);
  write_file("/proc/sys/vm/nr_hugepages", "0");
}

}  // namespace
}  // namespace evictd::test
