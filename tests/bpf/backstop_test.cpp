// SPDX-License-Identifier: Apache-2.0
// The kill that the kernel side does by a plan, each row of the ladder by itself. Plans last a
// minute here, so that no test depends on the speed of the machine.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "base/system_clock.h"
#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::BackstopFiring;
using probe::BackstopOrder;
using probe::BackstopPod;
using probe::BackstopSpared;
using probe::Purpose;

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kVictim = 1;
constexpr std::uint32_t kRival = 2;

/// Two pods below a root, one of which is planned to be killed once the root has grown.
class BackstopRow : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    probe::Options options;
    options.backstop = true;
    options.pins[Purpose::kBackstop] = GetParam();
    const probe::Ladder ladder = probe::Probe::examine(options);
    if (ladder.chosen(Purpose::kBackstop) != GetParam()) {
      GTEST_SKIP() << "this kernel refuses the row";
    }
    probe_ = load_probe(options);
    ASSERT_NE(probe_, nullptr);
    ASSERT_NE(probe_->backstop(), nullptr);
    ASSERT_TRUE(probe_->watch(kRoot, root_.pod()));
    ASSERT_TRUE(probe_->watch(kVictim, victim_.pod()));
    ASSERT_TRUE(probe_->watch(kRival, rival_.pod()));
  }

  [[nodiscard]] bool lists() const { return GetParam().ends_with("listed"); }

  /// Fires once the root holds 32 MiB more than now.
  BackstopOrder order() {
    EXPECT_TRUE(probe_->refresh());
    const auto held = static_cast<std::uint64_t>(probe_->row(kRoot).working_set().value);
    BackstopOrder made;
    made.slot = kRoot;
    made.least_value = held + 32 * kMiB;
    made.most_value = held + 4096 * kMiB;
    made.from_value = held;
    made.from_at = clock_.now();
    made.victim = {.slot = kVictim, .memory_id = victim_.memory_id().id};
    made.processes = processes_;
    made.expires_at = clock_.now() + std::chrono::minutes(1);
    return made;
  }

  std::optional<BackstopFiring> disarm() { return probe_->backstop()->disarm(clock_.now()); }

  void expect_spared(BackstopSpared why) {
    EXPECT_FALSE(disarm());
    const probe::BackstopCounters counters = probe_->backstop()->counters();
    EXPECT_EQ(counters.fired, 0U);
    EXPECT_EQ(counters.spared[static_cast<std::size_t>(why)], 1U) << to_string(why);
  }

  [[nodiscard]] static std::uint32_t sent(const BackstopFiring& firing) {
    std::uint32_t count = 0;
    for (const probe::BackstopAnswer& answer : firing.given()) {
      count += answer.code == 0 ? answer.count : 0;
    }
    return count;
  }

  /// The kernel may be too busy for a signal; user space finishes.
  [[nodiscard]] static std::uint32_t answered(const BackstopFiring& firing) {
    std::uint32_t count = 0;
    for (const probe::BackstopAnswer& answer : firing.given()) {
      count += answer.count;
    }
    return count;
  }

  base::SystemClock clock_;
  TestCgroup root_ = TestCgroup::create();
  TestCgroup victim_ = root_.create_child("victim");
  TestCgroup rival_ = root_.create_child("rival");
  TestChild hog_{victim_};
  TestChild stranger_{rival_};
  std::vector<pid_t> processes_{hog_.pid()};
  std::unique_ptr<probe::Probe> probe_;
};

TEST_P(BackstopRow, KillsTheVictimThatGrowsPastTheLevel) {
  probe_->backstop()->arm(order());
  EXPECT_FALSE(hog_.run(Work::kTouch4K, 256 * kMiB)) << "it lives";
  const std::optional<BackstopFiring> firing = disarm();
  ASSERT_TRUE(firing);
  EXPECT_GT(firing->at, MonoTime{});
  EXPECT_LE(firing->at, clock_.now());
  EXPECT_EQ(sent(*firing), 1U);
  EXPECT_TRUE(stranger_.run(Work::kTouch4K, kMiB)) << "only the victim is killed";
  EXPECT_EQ(probe_->backstop()->counters().fired, 1U);
}

TEST_P(BackstopRow, SignalsNobodyBelowTheLevel) {
  probe_->backstop()->arm(order());
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 16 * kMiB));
  EXPECT_FALSE(disarm());
  EXPECT_EQ(probe_->backstop()->counters().taken, 1U);
}

TEST_P(BackstopRow, NeverSignalsAnotherTaskThatPassesTheLevel) {
  probe_->backstop()->arm(order());
  EXPECT_TRUE(stranger_.run(Work::kTouch4K, 64 * kMiB)) << "it is not the victim";
  if (lists()) {
    EXPECT_TRUE(disarm()) << "the listed victim can be signalled from there";
    EXPECT_FALSE(hog_.run(Work::kTouch4K, kMiB));
  } else {
    expect_spared(BackstopSpared::kContext);
    EXPECT_TRUE(hog_.run(Work::kTouch4K, kMiB));
  }
}

TEST_P(BackstopRow, SparesTheVictimThatARivalOvertakes) {
  BackstopOrder made = order();
  const std::array rivals = {BackstopPod{.slot = kRival, .memory_id = rival_.memory_id().id}};
  made.rivals = rivals;
  probe_->backstop()->arm(made);
  EXPECT_TRUE(stranger_.run(Work::kTouch4K, 64 * kMiB));
  expect_spared(BackstopSpared::kRival);
  EXPECT_TRUE(hog_.run(Work::kTouch4K, kMiB));
}

TEST_P(BackstopRow, KillsTheVictimThatStaysAheadOfItsRivals) {
  BackstopOrder made = order();
  const std::array rivals = {BackstopPod{.slot = kRival, .memory_id = rival_.memory_id().id}};
  made.rivals = rivals;
  probe_->backstop()->arm(made);
  EXPECT_FALSE(hog_.run(Work::kTouch4K, 256 * kMiB));
  EXPECT_TRUE(disarm());
}

TEST_P(BackstopRow, SparesTheVictimOfAPlanThatHasExpired) {
  BackstopOrder made = order();
  made.expires_at = clock_.now() - std::chrono::milliseconds(1);
  probe_->backstop()->arm(made);
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB));
  EXPECT_FALSE(disarm());
  EXPECT_EQ(probe_->backstop()->counters().expired, 1U);
}

TEST_P(BackstopRow, SparesTheVictimOfAPlanThatWasTakenBack) {
  probe_->backstop()->arm(order());
  EXPECT_FALSE(disarm());
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB));
  EXPECT_FALSE(disarm());
  EXPECT_EQ(probe_->backstop()->counters().taken, 1U);
}

TEST_P(BackstopRow, CarriesOutTheLaterOfTwoPlans) {
  probe_->backstop()->arm(order());
  EXPECT_FALSE(disarm());
  probe_->backstop()->arm(order());
  EXPECT_FALSE(hog_.run(Work::kTouch4K, 256 * kMiB));
  EXPECT_TRUE(disarm());
}

TEST_P(BackstopRow, SparesTheVictimWhoseSlotIsAnothers) {
  BackstopOrder made = order();
  made.victim.memory_id = rival_.memory_id().id;
  probe_->backstop()->arm(made);
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB));
  expect_spared(BackstopSpared::kStale);
}

TEST_P(BackstopRow, SparesTheVictimThatGrowsSlowerThanPlanned) {
  BackstopOrder made = order();
  made.least_rate = 1ULL << 50;
  probe_->backstop()->arm(made);
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB));
  expect_spared(BackstopSpared::kSlow);
}

TEST_P(BackstopRow, SparesTheVictimThatHasShrunk) {
  BackstopOrder made = order();
  made.least_working_set = 1ULL << 40;
  probe_->backstop()->arm(made);
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB));
  expect_spared(BackstopSpared::kSmall);
}

TEST_P(BackstopRow, SparesAProcessThatWasMovedOutOfTheVictim) {
  BackstopOrder made = order();
  probe_->backstop()->arm(made);
  rival_.attach(hog_.pid());
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB)) << "it is another pod's now";
  expect_spared(BackstopSpared::kContext);
}

TEST_P(BackstopRow, SparesTheVictimOnceAPodHasAppeared) {
  Recorder recorder(*probe_);
  const std::array roots = {root_.memory_id()};
  ASSERT_TRUE(probe_->set_roots(roots));
  recorder.drain();
  probe_->backstop()->arm(order());
  const TestCgroup appeared = root_.create_child("appeared");
  EXPECT_TRUE(hog_.run(Work::kTouch4K, 64 * kMiB));
  expect_spared(BackstopSpared::kPods);
}

TEST_P(BackstopRow, ReachesProcessesForkedSinceWhereItLists) {
  probe_->backstop()->arm(order());
  ASSERT_TRUE(hog_.run(Work::kFork, 3));
  EXPECT_TRUE(stranger_.run(Work::kTouch4K, 64 * kMiB));
  const std::optional<BackstopFiring> firing = disarm();
  ASSERT_EQ(firing.has_value(), lists());
  if (firing) {
    EXPECT_EQ(answered(*firing), 4U) << "the process and its three children";
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, BackstopRow,
                         testing::Values("fentry_listed", "tp_btf_listed", "fentry", "tp_btf"),
                         [](const testing::TestParamInfo<std::string>& row) { return row.param; });

TEST(BackstopOfOlderKernels, KillsTheVictimByTheProgramsWithBoundedLoops) {
  probe::Options options;
  options.backstop = true;
  options.bounded_programs = true;
  const std::unique_ptr<probe::Probe> probe = load_probe(options);
  ASSERT_NE(probe, nullptr);
  ASSERT_NE(probe->backstop(), nullptr);
  const base::SystemClock clock;
  const TestCgroup root = TestCgroup::create();
  const TestCgroup victim = root.create_child("victim");
  TestChild hog(victim);
  ASSERT_TRUE(probe->watch(kRoot, root.pod()));
  ASSERT_TRUE(probe->watch(kVictim, victim.pod()));
  BackstopOrder order;
  order.slot = kRoot;
  order.least_value = 32 * kMiB;
  order.most_value = 4096 * kMiB;
  order.victim = {.slot = kVictim, .memory_id = victim.memory_id().id};
  order.expires_at = clock.now() + std::chrono::minutes(1);
  probe->backstop()->arm(order);
  EXPECT_FALSE(probe->backstop()->disarm(clock.now())) << "nothing has grown";
  probe->backstop()->arm(order);
  EXPECT_FALSE(hog.run(Work::kTouch4K, 256 * kMiB)) << "it lives";
  EXPECT_TRUE(probe->backstop()->disarm(clock.now()));
}

}  // namespace
}  // namespace evictd::test
