// SPDX-License-Identifier: Apache-2.0
// What the kernel can still give, and that its end is told of in time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "recorder.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {
namespace {

/// Others use the machine between two readings.
constexpr std::int64_t kApart = 8 * kMiB;
constexpr std::uint64_t kTaken = 256 * kMiB;

class Reserve : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(probe_, nullptr); }

  [[nodiscard]] static probe::GuardTerms terms(Duration horizon) {
    return {.min = Bytes{64 * kMiB},
            .low = Bytes{80 * kMiB},
            .swap_permille = 0,
            .horizon = horizon,
            .tight_horizon = horizon};
  }
  /// The same from the kernel's own files.
  [[nodiscard]] static std::int64_t by_files() {
    std::ifstream file("/proc/vmstat");
    std::map<std::string, std::int64_t> bytes;
    std::string name;
    for (std::int64_t pages = 0; file >> name >> pages;) {
      bytes[name] = pages * ::sysconf(_SC_PAGESIZE);
    }
    const auto less_kept = [](std::int64_t of) { return of - std::min(of / 2, 80 * kMiB); };
    return std::max<std::int64_t>(0, bytes["nr_free_pages"] - 64 * kMiB) +
           less_kept(bytes["nr_active_file"] + bytes["nr_inactive_file"]) +
           less_kept(bytes["nr_slab_reclaimable"] + bytes["nr_kernel_misc_reclaimable"]);
  }
  [[nodiscard]] NodeUsage refreshed() {
    EXPECT_TRUE(probe_->refresh());
    return probe_->node();
  }
  /// Looks until the files agree around ours, which they do while nobody else takes much.
  void expect_as_by_files() {
    std::int64_t before = 0;
    std::int64_t ours = 0;
    std::int64_t after = 0;
    for (int look = 0; look < 1000; ++look) {
      before = by_files();
      ours = refreshed().reserve.value;
      after = by_files();
      if (std::abs(after - before) <= kApart) {
        break;
      }
    }
    EXPECT_GE(ours, std::min(before, after) - kApart);
    EXPECT_LE(ours, std::max(before, after) + kApart);
  }
  /// One watch: the reserve ends within the horizon.
  void watch_end() {
    const std::vector<probe::WatchedThreshold> thresholds = {
        {.id = 1,
         .signal = probe::Signal::kNodeReserve,
         .value = static_cast<std::uint64_t>(probe::kNodeCeiling)}};
    ASSERT_TRUE(probe_->set_thresholds(thresholds));
  }

  std::unique_ptr<probe::Probe> probe_ = load_probe();
};

TEST_F(Reserve, IsNotKnownBeforeTheWatermarksAre) {
  EXPECT_FALSE(probe_->knows_reserve());
  EXPECT_LT(refreshed().reserve.value, 0);
}

TEST_F(Reserve, EqualsTheFilesAndFallsWithWhatIsTaken) {
  probe_->set_guard(terms(std::chrono::milliseconds(100)));
  ASSERT_TRUE(probe_->knows_reserve());
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  expect_as_by_files();
  ASSERT_TRUE(child.run(Work::kTouch4K, kTaken));
  expect_as_by_files();
  ASSERT_TRUE(child.run(Work::kRelease));
  expect_as_by_files();
}

bool kernel_lists_its_counter_of_free_swap() {
  std::ifstream symbols("/proc/kallsyms");
  for (std::string line; std::getline(symbols, line);) {
    if (line.ends_with(" nr_swap_pages")) {
      return true;
    }
  }
  return false;
}

TEST_F(Reserve, IsKnownWithSwapWhereTheKernelListsItsCounter) {
  probe::GuardTerms with_swap = terms(std::chrono::milliseconds(100));
  with_swap.swap_permille = 500;
  probe_->set_guard(with_swap);
  EXPECT_EQ(probe_->knows_reserve(), kernel_lists_its_counter_of_free_swap());
  EXPECT_EQ(refreshed().reserve.value >= 0, kernel_lists_its_counter_of_free_swap());
}

TEST_F(Reserve, ItsEndWithinTheHorizonIsPushed) {
  // By a growth that any machine has, all of the memory of any machine would be gone by then.
  probe_->set_guard(terms(std::chrono::hours(24)));
  Recorder recorder(*probe_);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  watch_end();
  constexpr int kSteps = 8;
  const auto pushed = [&] { return recorder.count(1, probe::Direction::kUp) != 0; };
  // Others may give back at any moment what the child takes, and then nothing falls.
  for (int step = 0; step < kSteps && !pushed(); ++step) {
    ASSERT_TRUE(child.run(Work::kTouch4K, kTaken / 2));
    static_cast<void>(recorder.drain());
  }
  ASSERT_TRUE(recorder.wait_until(pushed));
  const probe::ThresholdCrossed crossing = recorder.first(1, probe::Direction::kUp);
  EXPECT_EQ(crossing.signal, probe::Signal::kNodeReserve);
  EXPECT_GT(crossing.value, static_cast<std::uint64_t>(probe::kNodeCeiling));
}

TEST_F(Reserve, IsNotPushedWhileItLastsLongerThanTheHorizon) {
  probe_->set_guard(terms(std::chrono::milliseconds(1)));
  Recorder recorder(*probe_);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  watch_end();
  ASSERT_TRUE(child.run(Work::kTouch4K, kTaken));
  static_cast<void>(recorder.drain());
  EXPECT_EQ(recorder.count(1, probe::Direction::kUp), 0U);
}

TEST_F(Reserve, OtherTermsAreNoFall) {
  probe_->set_guard(terms(std::chrono::milliseconds(100)));
  static_cast<void>(refreshed());
  probe::GuardTerms other = terms(std::chrono::milliseconds(100));
  other.min = Bytes{512 * kMiB};
  probe_->set_guard(other);
  EXPECT_EQ(refreshed().reserve_rate, 0);
}

}  // namespace
}  // namespace evictd::test
