// SPDX-License-Identifier: Apache-2.0
// The table of rows against the files of the cgroup.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/fd.h"
#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

class Rows : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(probe_, nullptr); }

  CgroupUsage refreshed(std::uint32_t slot) {
    EXPECT_TRUE(probe_->refresh());
    return probe_->row(slot);
  }

  std::unique_ptr<probe::Probe> probe_ = load_probe();
  TestCgroup cgroup_ = TestCgroup::create();
  TestChild child_{cgroup_};
};

TEST_F(Rows, EqualTheFiles) {
  ASSERT_TRUE(probe_->watch(3, cgroup_.pod()));
  ASSERT_TRUE(child_.run(Work::kTouch4K, 40 * kMiB));
  ASSERT_TRUE(child_.run(Work::kWriteFile, 30 * kMiB));
  ASSERT_TRUE(child_.run(Work::kFork, 4));
  const auto inactive_file = static_cast<std::int64_t>(cgroup_.inactive_file_bytes());
  const CgroupUsage row = refreshed(3);
  EXPECT_EQ(row.usage.value, static_cast<std::int64_t>(cgroup_.usage_bytes()));
  EXPECT_GT(inactive_file, 0);
  EXPECT_NEAR(static_cast<double>(row.inactive_file.value), static_cast<double>(inactive_file),
              static_cast<double>(kMiB));
  EXPECT_EQ(row.tasks, static_cast<std::int64_t>(cgroup_.tasks()));
  EXPECT_EQ(row.limit.value, INT64_MAX);
  EXPECT_EQ(row.source, UsageSource::kBpfTable);
  EXPECT_GT(row.read_at, MonoTime{});
}

TEST_F(Rows, AreOfTheCountersThatWereAskedForBefore) {
  const probe::PodCgroup pod = cgroup_.pod();
  const probe::PodCounters counters = probe_->resolve(pod);
  ASSERT_TRUE(counters.memory && *counters.memory);
  ASSERT_TRUE(probe_->watch(3, {.memory = pod.memory, .pids = pod.pids}, counters));
  ASSERT_TRUE(child_.run(Work::kTouch4K, 40 * kMiB));
  const CgroupUsage row = refreshed(3);
  EXPECT_EQ(row.usage.value, static_cast<std::int64_t>(cgroup_.usage_bytes()));
  EXPECT_EQ(row.tasks, static_cast<std::int64_t>(cgroup_.tasks()));
}

TEST_F(Rows, AreNotWatchedWithCountersOfACgroupThatWasGone) {
  probe::PodCgroup pod = cgroup_.pod();
  pod.memory.id += 1;
  const probe::PodCounters counters = probe_->resolve(pod);
  ASSERT_TRUE(counters.memory);
  EXPECT_FALSE(*counters.memory);
  const auto watched = probe_->watch(3, pod, counters);
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, Errc::kNotFound);
  EXPECT_EQ(probe_->watch(3, {.memory = pod.memory}, {}).error().code, Errc::kInvalid)
      << "it was not asked about";
}

/// Whether `probe` reads without bpf_probe_read_kernel(), by its own account.
probe::Presence direct_reads(const probe::Probe& probe) {
  for (const probe::Feature& feature : probe.ladder().kernel) {
    if (feature.name == "direct reads") {
      return feature.presence;
    }
  }
  return probe::Presence::kUnknown;
}

TEST_F(Rows, AreTheSameWithDirectReadsAndWithout) {
  const std::unique_ptr<probe::Probe> indirect = load_probe({.direct_reads = false});
  ASSERT_NE(indirect, nullptr);
  ASSERT_EQ(direct_reads(*indirect), probe::Presence::kAbsent);
  cgroup_.set_memory_limit(200 * kMiB);
  ASSERT_TRUE(child_.run(Work::kTouch4K, 40 * kMiB));
  ASSERT_TRUE(child_.run(Work::kWriteFile, 30 * kMiB));
  ASSERT_TRUE(child_.run(Work::kFork, 4));
  static_cast<void>(cgroup_.inactive_file_bytes());  // the kernel sums up its statistics
  ASSERT_TRUE(probe_->watch(3, cgroup_.pod()));
  ASSERT_TRUE(indirect->watch(3, cgroup_.pod()));
  ASSERT_TRUE(indirect->refresh());
  const CgroupUsage row = refreshed(3);
  const CgroupUsage other = indirect->row(3);
  EXPECT_GE(row.usage.value, 70 * kMiB);
  EXPECT_EQ(row.usage.value, other.usage.value);
  EXPECT_GT(row.inactive_file.value, 0);
  EXPECT_NEAR(static_cast<double>(row.inactive_file.value),
              static_cast<double>(other.inactive_file.value), static_cast<double>(kMiB));
  EXPECT_EQ(row.limit.value, 200 * kMiB);
  EXPECT_EQ(row.limit.value, other.limit.value);
  EXPECT_EQ(row.tasks, static_cast<std::int64_t>(cgroup_.tasks()));
  EXPECT_EQ(row.tasks, other.tasks);
  EXPECT_EQ(probe_->counters().stale_rows, 0U);
  EXPECT_EQ(indirect->counters().stale_rows, 0U);
}

/// Bytes of the program that refreshes the rows as the kernel keeps it; 0 if there is none.
std::uint32_t refresh_size(const probe::Probe& probe) {
  for (const probe::ProgramCounters& program : probe.program_counters()) {
    if (program.program == "sweep_refresh") {
      const base::Fd fd(bpf_prog_get_fd_by_id(program.id));
      bpf_prog_info info{};
      std::uint32_t size = sizeof(info);
      return bpf_obj_get_info_by_fd(fd.get(), &info, &size) == 0 ? info.xlated_prog_len : 0;
    }
  }
  return 0;
}

bool kernel_has_rdonly_cast() {
  std::ifstream symbols("/proc/kallsyms");
  for (std::string line; std::getline(symbols, line);) {
    if (line.ends_with(" bpf_rdonly_cast")) {
      return true;
    }
  }
  return false;
}

TEST_F(Rows, AreReadWithoutCallsWhereTheKernelHasTheFunctionForIt) {
  const std::unique_ptr<probe::Probe> indirect = load_probe({.direct_reads = false});
  ASSERT_NE(indirect, nullptr);
  if (kernel_has_rdonly_cast()) {
    EXPECT_EQ(direct_reads(*probe_), probe::Presence::kPresent);
    EXPECT_LT(refresh_size(*probe_), refresh_size(*indirect)) << "the calls are still there";
  } else {
    EXPECT_EQ(direct_reads(*probe_), probe::Presence::kAbsent);
    EXPECT_EQ(refresh_size(*probe_), refresh_size(*indirect));
  }
}

TEST_F(Rows, ShowTheLimit) {
  cgroup_.set_memory_limit(200 * kMiB);
  ASSERT_TRUE(probe_->watch(0, cgroup_.pod()));
  EXPECT_EQ(refreshed(0).limit.value, 200 * kMiB);
}

TEST_F(Rows, SumTheChildren) {
  // A cgroup of v2 has processes or children with controllers, not both.
  child_.kill_and_reap();
  const TestCgroup container = cgroup_.create_child("container");
  const TestCgroup another = cgroup_.create_child("another");
  TestChild inside(container);
  TestChild beside(another);
  ASSERT_TRUE(probe_->watch(0, cgroup_.pod()));
  ASSERT_TRUE(inside.run(Work::kTouch4K, 32 * kMiB));
  EXPECT_GE(refreshed(0).usage.value, 32 * kMiB);
  EXPECT_EQ(refreshed(0).tasks, 2);
  inside.kill_and_reap();
  beside.kill_and_reap();
}

TEST_F(Rows, AreEmptyWithoutAWatchAndAfterUnwatch) {
  EXPECT_FALSE(refreshed(3).has_memory());
  ASSERT_TRUE(probe_->watch(3, cgroup_.pod()));
  EXPECT_TRUE(refreshed(3).has_memory());
  ASSERT_TRUE(probe_->unwatch(3));
  EXPECT_FALSE(probe_->row(3).has_memory());
  EXPECT_FALSE(refreshed(3).has_memory());
}

TEST_F(Rows, AreClearedAtRmdir) {
  TestCgroup gone = TestCgroup::create();
  ASSERT_TRUE(probe_->watch(7, gone.pod()));
  ASSERT_TRUE(refreshed(7).has_memory());
  EXPECT_EQ(refreshed(7).tasks, 0);
  gone.remove();
  EXPECT_FALSE(refreshed(7).has_memory());
  EXPECT_EQ(refreshed(7).tasks, -1);
  EXPECT_EQ(probe_->counters().stale_rows, 0U) << "found by the id check instead of by rmdir";
}

TEST_F(Rows, OfAReusedSlotNeverShowTheEarlierPod) {
  TestCgroup other = TestCgroup::create();
  const Result<std::uint32_t> first = probe_->watch(1, cgroup_.pod());
  ASSERT_TRUE(child_.run(Work::kTouch4K, 32 * kMiB));
  ASSERT_GE(refreshed(1).usage.value, 32 * kMiB);
  const Result<std::uint32_t> second = probe_->watch(1, other.pod());
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_FALSE(probe_->row(1).has_memory()) << "not refreshed yet";
  EXPECT_LT(refreshed(1).usage.value, 32 * kMiB);
}

TEST_F(Rows, AreKeptForTwoThousandPods) {
  constexpr std::uint32_t kPods = 2000;
  for (std::uint32_t slot = 0; slot < kPods; ++slot) {
    ASSERT_TRUE(probe_->watch(slot, cgroup_.pod()));
    ASSERT_TRUE(slot == 0 || probe_->unwatch(slot - 1));
  }
  EXPECT_TRUE(refreshed(kPods - 1).has_memory());
  EXPECT_FALSE(probe_->row(0).has_memory());
}

TEST_F(Rows, RefuseSlotsOutOfRangeAndRootsOfHierarchies) {
  const Result<std::uint32_t> out_of_range = probe_->watch(1U << 20, cgroup_.pod());
  ASSERT_FALSE(out_of_range);
  EXPECT_EQ(out_of_range.error().code, Errc::kInvalid);
}

TEST_F(Rows, TellOfACgroupThatIsGone) {
  TestCgroup gone = TestCgroup::create();
  const probe::PodCgroup pod = gone.pod();
  const int memory_fd = ::dup(pod.memory_fd);
  gone.remove();
  const Result<std::uint32_t> watched =
      probe_->watch(2, {.memory = pod.memory, .pids = {}, .memory_fd = memory_fd, .pids_fd = -1});
  ::close(memory_fd);
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, Errc::kNotFound) << watched.error().message();
}

}  // namespace
}  // namespace evictd::test
