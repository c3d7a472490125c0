// SPDX-License-Identifier: Apache-2.0
// Time lost to memory, and kills by the kernel.
#include <gtest/gtest.h>

#include <chrono>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

TEST(Stall, OfACgroupAtItsLimitIsReportedAndCountedInItsRow) {
  const std::unique_ptr<probe::Probe> probe =
      load_probe({.stall_notice = std::chrono::milliseconds{1}});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup cgroup = TestCgroup::create();
  cgroup.set_memory_limit(24 * kMiB);
  TestChild child(cgroup);
  const Result<std::uint32_t> generation = probe->watch(5, cgroup.pod());
  ASSERT_TRUE(generation) << generation.error().message();
  // Page cache beyond the limit has to be reclaimed to go on.
  ASSERT_TRUE(child.run(Work::kWriteFile, 200 * kMiB));
  ASSERT_TRUE(recorder.wait_until([&] { return !recorder.stalls.empty(); }));
  EXPECT_EQ(recorder.stalls.front().slot, 5U);
  EXPECT_EQ(recorder.stalls.front().generation, *generation);
  EXPECT_GE(recorder.stalls.front().stalled, std::chrono::milliseconds{1});
  ASSERT_TRUE(probe->refresh());
  EXPECT_GE(probe->row(5).stall, recorder.stalls.front().stalled);
}

TEST(OomKill, NamesTheVictimsOwnCgroup) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup pod = TestCgroup::create();
  const TestCgroup container = pod.create_child("container");
  pod.set_memory_limit(24 * kMiB);
  ASSERT_TRUE(probe->watch(9, pod.pod()));
  TestChild child(container);
  const auto victim = static_cast<std::uint32_t>(child.pid());
  EXPECT_FALSE(child.run(Work::kTouch4K, 64 * kMiB)) << "the child survived its limit";
  const auto ours = [&] {
    for (const probe::OomKill& kill : recorder.oom_kills) {
      if (kill.pid == victim) {
        return &kill;
      }
    }
    return static_cast<const probe::OomKill*>(nullptr);
  };
  ASSERT_TRUE(recorder.wait_until([&] { return ours() != nullptr; }));
  EXPECT_EQ(ours()->memory, container.memory_id());
  EXPECT_EQ(ours()->slot, 9U);
  child.kill_and_reap();
}

}  // namespace
}  // namespace evictd::test
