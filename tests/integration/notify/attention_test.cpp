// SPDX-License-Identifier: Apache-2.0
// What the timer of notifications looks at, where the hook needs one.
#include <chrono>
#include <thread>

#include "engine_ground.h"

namespace evictd::test {
namespace {

class NotifyTimer : public EngineGround {
 protected:
  void SetUp() override {
    EngineGround::SetUp();
    if (!HasFatalFailure() && kernel_->name() != "tp_btf/mod_memcg_state") {
      GTEST_SKIP() << kernel_->name() << " needs no timer";
    }
  }

  [[nodiscard]] std::uint64_t slow_ticks() const {
    const evictd_notify_stats now = kernel_->stats();
    return now.ticks - now.fast_ticks;
  }
  /// False: the timer stands still. Ten of them are a second.
  [[nodiscard]] bool let_slow_ticks_pass(std::uint64_t count) const {
    const std::uint64_t wanted = slow_ticks() + count;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (slow_ticks() < wanted) {
      if (std::chrono::steady_clock::now() > give_up) {
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }
};

TEST_F(NotifyTimer, KeepsReadingAnIdleValueJustBelowItsThreshold) {
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMega));
  CountedEventfd far;
  const auto seen = listen(far, {.threshold = 1024 * kMega});
  ASSERT_TRUE(seen) << seen.error().message();
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.threshold = seen->value + 2 * kMega}));
  ASSERT_TRUE(child.run(Work::kTouch4K, kMega / 2));
  // A tenth of a second at least, in which a task may well be without a CPU.
  ASSERT_TRUE(let_slow_ticks_pass(3));
  const std::uint64_t before = kernel_->stats().fast_ticks;
  ASSERT_TRUE(let_slow_ticks_pass(2));
  EXPECT_GT(kernel_->stats().fast_ticks, before);
  EXPECT_EQ(eventfd.count(), 0U);
}

TEST_F(NotifyTimer, LetsAValueGoThatIsParkedBelowItsThreshold) {
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMega));
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.threshold = 36 * kMega}));
  ASSERT_TRUE(child.run(Work::kTouch4K, kMega / 2));
  // After a second, or later where the kernel takes back what it has charged in advance.
  bool let_go = false;
  for (int i = 0; i < 30 && !let_go; ++i) {
    const std::uint64_t before = kernel_->stats().fast_ticks;
    ASSERT_TRUE(let_slow_ticks_pass(2));
    let_go = kernel_->stats().fast_ticks == before;
  }
  EXPECT_TRUE(let_go);
}

TEST_F(NotifyTimer, LooksSeldomAtAValueThatMovesBelowItsThreshold) {
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMega));
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.threshold = 37 * kMega}));
  TestChild mover(cgroup_);
  const auto move_until = [&](const auto& done) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > give_up || !mover.run(Work::kTouch4K, kMega) ||
          !mover.run(Work::kRelease)) {
        return false;
      }
    }
    return true;
  };
  // More than what it may want one soon after the other.
  ASSERT_TRUE(move_until([&] { return kernel_->stats().fast_ticks > 200; }));
  const std::uint64_t fast_before = kernel_->stats().fast_ticks;
  const std::uint64_t slow_before = slow_ticks();
  ASSERT_TRUE(move_until([&] { return slow_ticks() >= slow_before + 20; }));
  // Ten between two slow ticks, and what it has saved up where the mover had to wait; all that the
  // timer may do is forty, and more that was saved up.
  EXPECT_LE(kernel_->stats().fast_ticks - fast_before,
            EVICTD_NOTIFY_LOOKS_SAVED + 20 * (slow_ticks() - slow_before));
  EXPECT_EQ(eventfd.count(), 0U);
}

TEST_F(NotifyTimer, PassesOverAValueThatStandsStill) {
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.threshold = 1024 * kMega}));
  ASSERT_TRUE(let_slow_ticks_pass(3));
  const std::uint64_t before = kernel_->stats().still;
  ASSERT_TRUE(let_slow_ticks_pass(10));
  EXPECT_GE(kernel_->stats().still - before, 5U);
}

TEST_F(NotifyTimer, HintsAtACrossingThatIsAboutToCome) {
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.threshold = 32 * kMega}));
  TestChild child(cgroup_);
  // Not each time: it may be without a CPU when its speed is looked at.
  for (int i = 0; i < 20 && kernel_->stats().hints == 0; ++i) {
    ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
    ASSERT_TRUE(child.run(Work::kRelease));
  }
  EXPECT_GT(kernel_->stats().hints, 0U);
}

}  // namespace
}  // namespace evictd::test
