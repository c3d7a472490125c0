// SPDX-License-Identifier: Apache-2.0
// The node's own values against its files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "recorder.h"
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

/// What changes the machine itself, and is done only in one that is thrown away (docs/vm.md).
bool machine_is_ours() {
  return std::getenv("EVICTD_VM") != nullptr;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  ASSERT_TRUE(file.good()) << "write " << text << " to " << path;
}

/// Swap on a file or on a zram device, until the end of the test.
class Swap {
 public:
  explicit Swap(std::string path) : path_(std::move(path)) {
    const long page = ::sysconf(_SC_PAGESIZE);
    const base::Fd file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    // The header of mkswap: version, last page, and the mark at the end of the first page.
    std::vector<std::uint32_t> header(static_cast<std::size_t>(page) / sizeof(std::uint32_t));
    header[256] = 1;
    header[257] = static_cast<std::uint32_t>(kSize / page - 1);
    std::memcpy(reinterpret_cast<char*>(header.data()) + page - 10, "SWAPSPACE2", 10);
    // A device has its size already and refuses; a file must have no holes.
    static_cast<void>(::posix_fallocate(file.get(), 0, kSize));
    on_ = ::pwrite(file.get(), header.data(), static_cast<std::size_t>(page), 0) == page &&
          ::fsync(file.get()) == 0 && ::swapon(path_.c_str(), 0) == 0;
  }
  Swap(const Swap&) = delete;
  Swap& operator=(const Swap&) = delete;
  ~Swap() {
    if (on_) {
      ::swapoff(path_.c_str());
    }
  }
  [[nodiscard]] bool on() const { return on_; }

  static constexpr std::int64_t kSize = 256 * kMiB;

 private:
  std::string path_;
  bool on_ = false;
};

class NodeWithSwap : public Node, public testing::WithParamInterface<std::string> {};

TEST_P(NodeWithSwap, UsageIsThatOfTheFilesWhilePagesAreSwappedOut) {
  if (!machine_is_ours()) {
    GTEST_SKIP() << "swap is added only in a machine of our own: vm.* runs it";
  }
  const bool zram = GetParam() == "zram";
  if (zram) {
    write_file("/sys/block/zram0/reset", "1");
    write_file("/sys/block/zram0/disksize", std::to_string(Swap::kSize));
  }
  const Swap swap(zram ? "/dev/zram0" : "/var/tmp/evictd-swap");
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
