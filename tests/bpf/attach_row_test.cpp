// SPDX-License-Identifier: Apache-2.0
// Every row of the attach ladder by itself: forced by its pin, it must load, fire, and name the
// right cgroup with the right value. A row that the kernel at hand refuses is skipped with its
// reason.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Origin;
using probe::Purpose;
using probe::Signal;

/// Loads a probe with one purpose pinned to the row of the parameter.
class AttachRow : public testing::TestWithParam<std::string> {
 protected:
  /// Leaves `probe_` empty, and the test skipped, if this kernel refuses the row.
  void load(Purpose purpose, probe::Options options = {}) {
    options.pins[purpose] = GetParam();
    const probe::Ladder ladder = probe::Probe::examine(options);
    if (ladder.chosen(purpose) != GetParam()) {
      GTEST_SKIP() << "this kernel refuses the row: " << reason_of(ladder, purpose);
    }
    probe_ = load_probe(options);
    ASSERT_NE(probe_, nullptr);
    recorder_.emplace(*probe_);
  }

  static std::string reason_of(const probe::Ladder& ladder, Purpose purpose) {
    for (const probe::PurposeReport& report : ladder.purposes) {
      for (const probe::RowReport& row : report.rows) {
        if (report.purpose == purpose && row.row == GetParam()) {
          return row.hook + ": " + row.reason;
        }
      }
    }
    return "it is not in the table";
  }

  void expect_crossing_by_charge() {
    const TestCgroup cgroup = TestCgroup::create();
    const TestCgroup other = TestCgroup::create();
    TestChild child(cgroup);
    TestChild stranger(other);
    const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                              .signal = Signal::kCgroupUsage,
                                                              .cgroup = cgroup.memory_id(),
                                                              .cgroup_fd = cgroup.memory_fd(),
                                                              .value = 40 * kMiB}};
    ASSERT_TRUE(probe_->set_thresholds(thresholds));
    ASSERT_TRUE(stranger.run(Work::kTouch4K, 80 * kMiB));
    ASSERT_TRUE(child.run(Work::kTouch4K, 24 * kMiB));
    recorder_->drain();
    EXPECT_TRUE(recorder_->thresholds.empty()) << "nothing of ours has crossed yet";
    ASSERT_TRUE(child.run(Work::kTouch4K, 40 * kMiB));
    ASSERT_TRUE(recorder_->wait_for(1, Direction::kUp));
    const probe::ThresholdCrossed& event = recorder_->thresholds.back();
    EXPECT_EQ(event.cgroup, cgroup.memory_id());
    EXPECT_EQ(event.origin, Origin::kCharge);
    EXPECT_GT(event.value, 40 * kMiB);
    EXPECT_LE(event.value, cgroup.usage_bytes() + kStock);
  }

  std::unique_ptr<probe::Probe> probe_;
  std::optional<Recorder> recorder_;
};

std::string name_of(const testing::TestParamInfo<std::string>& row) {
  return row.param;
}

class ChargeRow : public AttachRow {};

TEST_P(ChargeRow, SeesTheCgroupThatGrowsAndItsUsage) {
  // Without the timer, so that nothing else can have seen it.
  load(Purpose::kMemoryCharge, {.pins = {{Purpose::kSweepTimer, "none"}}});
  if (probe_ != nullptr) {
    expect_crossing_by_charge();
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, ChargeRow, testing::Values("fentry", "kprobe", "tp_btf"), name_of);

class PerPageRow : public AttachRow {};

TEST_P(PerPageRow, SeesTheCgroupThatGrowsAndItsUsage) {
  load(Purpose::kPerPageCharge,
       {.pins = {{Purpose::kSweepTimer, "none"}, {Purpose::kMemoryCharge, "none"}},
        .per_page_hook = true});
  if (probe_ != nullptr) {
    expect_crossing_by_charge();
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, PerPageRow, testing::Values("tp_btf"), name_of);

class StallRow : public AttachRow {};

TEST_P(StallRow, ReportsACgroupAtItsLimitAndCountsItInItsRow) {
  load(Purpose::kStall, {.stall_notice = std::chrono::milliseconds{1}});
  if (probe_ == nullptr) {
    return;
  }
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  ASSERT_TRUE(child.run(Work::kWriteFile, 200 * kMiB));
  ASSERT_TRUE(child.run(Work::kSyncFiles));
  cgroup.set_memory_limit(24 * kMiB);
  const Result<std::uint32_t> generation = probe_->watch(5, cgroup.pod());
  ASSERT_TRUE(generation) << generation.error().message();
  // Page cache beyond the limit has to be reclaimed to go on. It is clean: where all of it is dirty
  // 6.12 finds nothing to reclaim, and kills.
  ASSERT_TRUE(child.run(Work::kReadTwice));
  ASSERT_TRUE(recorder_->wait_until([&] { return !recorder_->stalls.empty(); }));
  EXPECT_EQ(recorder_->stalls.front().slot, 5U);
  EXPECT_EQ(recorder_->stalls.front().generation, *generation);
  EXPECT_GE(recorder_->stalls.front().stalled, std::chrono::milliseconds{1});
  ASSERT_TRUE(probe_->refresh());
  EXPECT_GE(probe_->row(5).stall, recorder_->stalls.front().stalled);
}

INSTANTIATE_TEST_SUITE_P(Ladder, StallRow, testing::Values("fentry", "tp_btf"), name_of);

class OomRow : public AttachRow {};

TEST_P(OomRow, NamesTheVictimAndItsOwnCgroup) {
  load(Purpose::kOom);
  if (probe_ == nullptr) {
    return;
  }
  const TestCgroup pod = TestCgroup::create();
  const TestCgroup container = pod.create_child("container");
  pod.set_memory_limit(24 * kMiB);
  ASSERT_TRUE(probe_->watch(9, pod.pod()));
  TestChild child(container);
  const auto victim = static_cast<std::uint32_t>(child.pid());
  EXPECT_FALSE(child.run(Work::kTouch4K, 64 * kMiB)) << "the child survived its limit";
  const auto ours = [&] {
    for (const probe::OomKill& kill : recorder_->oom_kills) {
      if (kill.pid == victim) {
        return &kill;
      }
    }
    return static_cast<const probe::OomKill*>(nullptr);
  };
  ASSERT_TRUE(recorder_->wait_until([&] { return ours() != nullptr; }));
  if (GetParam() == "tp_btf_pid") {
    EXPECT_EQ(ours()->memory, CgroupId{}) << "this row knows a pid only";
  } else {
    EXPECT_EQ(ours()->memory, container.memory_id());
    EXPECT_EQ(ours()->slot, 9U);
  }
  child.kill_and_reap();
}

INSTANTIATE_TEST_SUITE_P(Ladder, OomRow, testing::Values("tp_btf", "fentry", "tp_btf_pid"),
                         name_of);

}  // namespace
}  // namespace evictd::test
