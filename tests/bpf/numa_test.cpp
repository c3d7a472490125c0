// SPDX-License-Identifier: Apache-2.0
// The node's memory on a machine with several NUMA nodes, one of which the cgroup that the kernel
// side is loaded from has never used.
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "recorder.h"
#include "test_cgroup.h"

namespace evictd::test {
namespace {

constexpr std::size_t kOnOtherNode = 256 * kMiB;

/// Memory that is not given back before this is destroyed.
class HeldMemory {
 public:
  HeldMemory(std::size_t bytes, unsigned node) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const unsigned long mask = 1UL << node;
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(::syscall(SYS_mbind, memory_, bytes_, MPOL_BIND, &mask, 8 * sizeof(mask), 0), 0);
    std::memset(memory_, 1, bytes_);
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() { ::munmap(memory_, bytes_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

int call(void* work) {
  (*static_cast<std::function<void()>*>(work))();
  ::_exit(0);
}

/// Runs `work` in a process that borrows this one's memory and descriptors, while this one waits. A
/// process with memory of its own makes its cgroup know every node where MGLRU is compiled in.
void in_borrowing_process(std::function<void()> work) {
  std::vector<char> stack(8 * kMiB);
  const pid_t pid = ::clone(call, stack.data() + stack.size(),
                            CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &work);
  ASSERT_GT(pid, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_EQ(status, 0);
}

/// From now on this process runs on the first node and takes new memory from it alone.
void stay_on_first_node() {
  const unsigned long mask = 1;
  EXPECT_EQ(::syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask)), 0);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  EXPECT_EQ(::sched_setaffinity(0, sizeof(first), &first), 0);
}

/// What the kernel needs for memory that has not been touched before is charged to who touches it,
/// wherever the memory itself is.
void use_page_tables() {
  constexpr std::size_t kBytes = 64 * kMiB;
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  for (std::size_t at = 0; at < kBytes; at += 2 * kMiB) {
    static_cast<char*>(memory)[at] = 1;
  }
  ::munmap(memory, kBytes);
}

std::int64_t in_use_by_files() {
  std::ifstream file("/proc/vmstat");
  std::int64_t pages = 0;
  std::string name;
  for (std::int64_t value = 0; file >> name >> value;) {
    pages += name == "nr_file_pages" || name == "nr_anon_pages" ? value : 0;
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

TEST(TwoNodes, AreBothReadFromACgroupThatHasUsedOneOfThem) {
  std::ifstream list("/sys/devices/system/node/has_memory");
  std::string nodes;
  if (!std::getline(list, nodes) || nodes != "0-1") {
    GTEST_SKIP() << "the machine does not have two NUMA nodes: vm.Numa.* boots one";
  }
  const HeldMemory held(kOnOtherNode, 1);
  const TestCgroup cgroup = TestCgroup::create();
  std::unique_ptr<probe::Probe> probe;
  in_borrowing_process([&] {
    stay_on_first_node();
    cgroup.attach(::getpid());
    use_page_tables();
    probe = load_probe();
  });
  ASSERT_NE(probe, nullptr);
  ASSERT_NE(probe->ladder().chosen(probe::Purpose::kNodeMemory), "");
  ASSERT_TRUE(probe->refresh());
  EXPECT_NEAR(static_cast<double>(probe->node().usage.value),
              static_cast<double>(in_use_by_files()), static_cast<double>(kOnOtherNode) / 4);
}

}  // namespace
}  // namespace evictd::test
