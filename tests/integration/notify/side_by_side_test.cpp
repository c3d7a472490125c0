// SPDX-License-Identifier: Apache-2.0
// Workloads that stand still after every ramp, so that the order of what each side told is seen.
#include "side_by_side.h"

#include <iostream>
#include <memory>
#include <vector>

namespace evictd::test {
namespace {

constexpr std::size_t kThresholds = 5;
constexpr std::uint64_t kTop = 2 * kMargin + 8 * kMega;

const std::vector<std::size_t> kUp{0, 1, 2, 3, 4};
const std::vector<std::size_t> kDown{4, 3, 2, 1, 0};

/// Five thresholds of one cgroup.
class SideBySideRamps : public SideBySide {
 protected:
  void SetUp() override {
    SideBySide::SetUp();
    std::vector<Mark> marks;
    for (std::size_t i = 0; i < kThresholds; ++i) {
      marks.push_back({.cgroup = &cgroup_, .threshold = lowest() + i * 2 * kMega});
    }
    ASSERT_NO_FATAL_FAILURE(watch_ramps(std::move(marks), signal(), hysteresis()));
  }
  [[nodiscard]] virtual evictd_notify_signal signal() const { return EVICTD_NOTIFY_USAGE; }
  [[nodiscard]] virtual std::uint64_t lowest() const { return kMargin; }
  [[nodiscard]] virtual std::uint64_t hysteresis() const { return kBatchBound; }

  /// One excursion with all of its memory written in the way of `work`.
  void go_up_and_down(TestChild& child, Work work) {
    ASSERT_TRUE(child.run(work, kTop));
    ASSERT_NO_FATAL_FAILURE(compare(kUp)) << "up";
    ASSERT_TRUE(child.run(Work::kRelease));
    ASSERT_NO_FATAL_FAILURE(compare(kDown)) << "down";
  }
};

/// A thousand excursions, in parts that run beside each other.
class SideBySidePart : public SideBySideRamps, public testing::WithParamInterface<int> {};
constexpr int kParts = 4;
constexpr int kExcursionsOfAPart = 250;

TEST_P(SideBySidePart, SeesTheSameCrossingsInTheSameOrder) {
  TestChild child(cgroup_);
  for (int excursion = 0; excursion < kExcursionsOfAPart; ++excursion) {
    ASSERT_NO_FATAL_FAILURE(go_up_and_down(child, Work::kTouch4K)) << "excursion " << excursion;
  }
  report(kExcursionsOfAPart);
}

INSTANTIATE_TEST_SUITE_P(Of1000, SideBySidePart, testing::Range(0, kParts));

TEST_F(SideBySideRamps, AreTheSameOfHugePagesAndOfSharedMemory) {
  constexpr int kExcursions = 50;
  TestChild child(cgroup_);
  for (int excursion = 0; excursion < kExcursions; ++excursion) {
    const Work work = excursion % 2 == 0 ? Work::kTouchHuge : Work::kTouchShared;
    ASSERT_NO_FATAL_FAILURE(go_up_and_down(child, work)) << "excursion " << excursion;
  }
  report(kExcursions);
}

/// Goes over the lowest threshold and back by less than what either side may miss.
void go_over_briefly(TestChild& child, std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    ASSERT_TRUE(child.run(Work::kTouch4K, kMega));
    ASSERT_TRUE(child.run(Work::kRelease));
  }
}

TEST_F(SideBySideRamps, AreTheSameAfterShortOnesThatEitherSideMayMiss) {
  constexpr int kExcursions = 10;
  constexpr std::uint64_t kShortOnes = 20;
  TestChild base(cgroup_);
  TestChild child(cgroup_);
  for (int excursion = 0; excursion < kExcursions; ++excursion) {
    // Half a MiB below the lowest threshold, with what is there already.
    const std::uint64_t usage = cgroup_.usage_bytes();
    ASSERT_TRUE(base.run(Work::kTouch4K, kMargin - kMega / 2 - usage));
    ASSERT_NO_FATAL_FAILURE(go_over_briefly(child, kShortOnes));
    // All of them are pairs, told or not, that end below.
    ASSERT_TRUE(child.run(Work::kTouch4K, kTop));
    ASSERT_NO_FATAL_FAILURE(compare(kUp)) << "up, excursion " << excursion;
    ASSERT_TRUE(child.run(Work::kRelease));
    ASSERT_TRUE(base.run(Work::kRelease));
    ASSERT_NO_FATAL_FAILURE(compare(kDown)) << "down, excursion " << excursion;
  }
  std::cout << "signals of " << kExcursions * kShortOnes << " short ones: ours " << our_short_ones()
            << ", the kernel's " << their_short_ones() << '\n';
}

/// Usage with swap: v1 has one counter and one notification for both.
class SideBySideMemsw : public SideBySideRamps {
 protected:
  [[nodiscard]] evictd_notify_signal signal() const override { return EVICTD_NOTIFY_MEMSW; }
};

TEST_F(SideBySideMemsw, IsTheSameWithSwapCounted) {
  constexpr int kExcursions = 25;
  TestChild child(cgroup_);
  for (int excursion = 0; excursion < kExcursions; ++excursion) {
    ASSERT_NO_FATAL_FAILURE(go_up_and_down(child, Work::kTouch4K)) << "excursion " << excursion;
  }
  report(kExcursions);
}

/// Processes in children of a cgroup, and five thresholds in it.
class SideBySideCrowd : public SideBySideRamps {
 protected:
  void SetUp() override {
    SideBySideRamps::SetUp();
    for (std::size_t i = 0; i < kCgroups; ++i) {
      cgroups_.push_back(cgroup_.create_child("c" + std::to_string(i)));
    }
  }

  static constexpr std::size_t kCgroups = 4;
  std::vector<TestCgroup> cgroups_;
};

TEST_F(SideBySideCrowd, IsTheSameOfProcessesThatGrowAtOnceAndAreKilled) {
  constexpr int kExcursions = 50;
  for (int excursion = 0; excursion < kExcursions; ++excursion) {
    std::vector<std::unique_ptr<TestChild>> children;
    for (std::size_t i = 0; i < 2 * kCgroups; ++i) {
      children.push_back(std::make_unique<TestChild>(cgroups_[i % kCgroups]));
      children.back()->start(Work::kTouch4K, kTop / 8 + kMega);
    }
    for (const auto& child : children) {
      ASSERT_TRUE(child->wait());
    }
    ASSERT_NO_FATAL_FAILURE(compare(kUp)) << "up, excursion " << excursion;
    children.clear();
    ASSERT_NO_FATAL_FAILURE(compare(kDown)) << "down, excursion " << excursion;
  }
  report(kExcursions);
}

/// Much of a small process is what it is made of, which is given back after it has gone and is no
/// page event for v1: the lowest threshold is above all of that. Some 5 MiB of it are given back
/// while the next ones start, so usage may go back by so much on its way up.
class SideBySideSmallOnes : public SideBySideCrowd {
 protected:
  [[nodiscard]] std::uint64_t lowest() const override { return 4 * kMargin; }
  [[nodiscard]] std::uint64_t hysteresis() const override { return 2 * kMargin; }
};

TEST_F(SideBySideSmallOnes, AreTheSameWhenManyStartAndEndAtOnce) {
  constexpr int kExcursions = 25;
  constexpr std::uint64_t kProcesses = 16;  // in each cgroup
  std::vector<std::unique_ptr<TestChild>> parents;
  for (const TestCgroup& cgroup : cgroups_) {
    parents.push_back(std::make_unique<TestChild>(cgroup));
  }
  const auto all_at_once = [&](Work work, std::uint64_t amount) {
    for (const auto& parent : parents) {
      parent->start(work, amount);
    }
    for (const auto& parent : parents) {
      ASSERT_TRUE(parent->wait());
    }
  };
  for (int excursion = 0; excursion < kExcursions; ++excursion) {
    ASSERT_NO_FATAL_FAILURE(all_at_once(Work::kForkAndTouch, kProcesses));
    ASSERT_NO_FATAL_FAILURE(compare(kUp)) << "up, excursion " << excursion;
    ASSERT_NO_FATAL_FAILURE(all_at_once(Work::kEndForks, 0));
    ASSERT_NO_FATAL_FAILURE(compare(kDown)) << "down, excursion " << excursion;
  }
  report(kExcursions);
}

/// Thresholds in a cgroup and in two children of it, each a margin away from what is crossed before
/// and after it.
class SideBySideFamily : public SideBySide {
 protected:
  void SetUp() override {
    SideBySide::SetUp();
    ASSERT_NO_FATAL_FAILURE(watch_ramps({{.cgroup = &first_, .threshold = kMargin},
                                         {.cgroup = &cgroup_, .threshold = 2 * kMargin},
                                         {.cgroup = &first_, .threshold = 3 * kMargin},
                                         {.cgroup = &second_, .threshold = kMargin},
                                         {.cgroup = &cgroup_, .threshold = 6 * kMargin},
                                         {.cgroup = &second_, .threshold = 3 * kMargin}}));
  }

  TestCgroup first_ = cgroup_.create_child("first");
  TestCgroup second_ = cgroup_.create_child("second");
};

TEST_F(SideBySideFamily, SeesTheSameInACgroupAndInItsChildren) {
  constexpr int kExcursions = 25;
  TestChild one(first_);
  TestChild two(second_);
  for (int excursion = 0; excursion < kExcursions; ++excursion) {
    SCOPED_TRACE(excursion);
    ASSERT_TRUE(one.run(Work::kTouch4K, 4 * kMargin));
    ASSERT_NO_FATAL_FAILURE(compare({0, 1, 2})) << "the first grows";
    ASSERT_TRUE(two.run(Work::kTouch4K, 4 * kMargin));
    ASSERT_NO_FATAL_FAILURE(compare({3, 4, 5})) << "the second grows";
    ASSERT_TRUE(one.run(Work::kRelease));
    ASSERT_NO_FATAL_FAILURE(compare({2, 4, 0}, Sequence::kOfEachCgroup)) << "the first shrinks";
    ASSERT_TRUE(two.run(Work::kRelease));
    ASSERT_NO_FATAL_FAILURE(compare({5, 1, 3}, Sequence::kOfEachCgroup)) << "the second shrinks";
  }
  report(kExcursions);
}

}  // namespace
}  // namespace evictd::test
