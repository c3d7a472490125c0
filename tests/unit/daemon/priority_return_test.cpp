// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/priority_return.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

namespace evictd::daemon {
namespace {

/// A moment that is past on every machine, so that timers fire at the next interrupt.
constexpr MonoTime kLongPast{std::chrono::milliseconds(1) - PriorityReturn::kQuiet};
/// One that comes on none.
constexpr MonoTime kNever{std::chrono::hours(100'000)};
/// For what is about to happen.
constexpr Duration kFar = std::chrono::seconds(60);

class QuietClock final : public core::Clock {
 public:
  explicit QuietClock(MonoTime now) : now_(now) {}
  [[nodiscard]] MonoTime now() const override { return now_; }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  [[nodiscard]] Duration thread_cpu() const override { return run; }

  Duration run{};

 private:
  MonoTime now_;
};

/// A thread that lost its priority, as far as it is asked.
class PriorityReturnTest : public testing::Test {
 protected:
  void make(MonoTime now) {
    clock_ = std::make_unique<QuietClock>(now);
    log_ = std::make_unique<base::Log>(base::LogOptions{}, *clock_);
    auto made = PriorityReturn::create(
        loop_, *log_, *clock_,
        {.losses = [this] { return losses_; },
         .make_realtime = [this]() -> Result<> {
           ++asked_;
           return refuses_ ? Result<>(fail_errno(EPERM, "set SCHED_FIFO priority 2")) : Result<>{};
         },
         .show = [this](std::string_view line) { shown_ = line; }});
    ASSERT_TRUE(made) << made.error().message();
    priority_ = std::move(*made);
  }
  /// What is logged when it looks.
  std::string look() {
    testing::internal::CaptureStderr();
    priority_->check();
    return testing::internal::GetCapturedStderr();
  }
  /// What is logged when the timer fires.
  std::string fire() { return turn(kFar); }
  /// What is logged if nothing is expected to happen.
  std::string idle() { return turn(Duration{0}); }

  /// What is logged by one turn of the loop, which waits for so long.
  std::string turn(Duration most) {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(loop_.run_once(most));
    return testing::internal::GetCapturedStderr();
  }

  base::EventLoop loop_ = base::EventLoop::create().value();
  std::unique_ptr<QuietClock> clock_;
  std::unique_ptr<base::Log> log_;
  std::unique_ptr<PriorityReturn> priority_;
  std::uint64_t losses_ = 0;
  int asked_ = 0;
  bool refuses_ = false;
  std::string shown_;
};

TEST_F(PriorityReturnTest, TellsOfEachLossOnce) {
  make(kNever);
  EXPECT_EQ(look(), "");
  ++losses_;
  EXPECT_NE(look().find("without real-time priority"), std::string::npos);
  EXPECT_EQ(look(), "");
  ++losses_;
  EXPECT_NE(look().find("times=2"), std::string::npos);
  EXPECT_EQ(shown_, "without real-time priority, lost 2 times");
}

TEST_F(PriorityReturnTest, TakesItBackOnceItWasQuiet) {
  make(kLongPast);
  ++losses_;
  look();
  clock_->run += PriorityReturn::kMostRun / 2;
  EXPECT_NE(fire().find("real-time priority again"), std::string::npos);
  EXPECT_EQ(asked_, 1);
  idle();
  EXPECT_EQ(asked_, 1) << "it has it";
  EXPECT_EQ(shown_, "real-time priority was lost 1 times");
}

TEST_F(PriorityReturnTest, TakesItBackAgainWhenItIsLostAgain) {
  make(kLongPast);
  for (int times = 1; times < 3; ++times) {
    ++losses_;
    look();
    fire();
    EXPECT_EQ(asked_, times);
  }
}

TEST_F(PriorityReturnTest, WaitsForTheTimeAndTheQuiet) {
  make(kNever);
  ++losses_;
  look();
  idle();
  EXPECT_EQ(asked_, 0) << "no time has passed";
  make(kLongPast);
  ++losses_;
  look();
  clock_->run += PriorityReturn::kMostRun;
  fire();
  EXPECT_EQ(asked_, 0) << "it was busy";
  fire();
  EXPECT_EQ(asked_, 1) << "and then it was not";
}

TEST_F(PriorityReturnTest, AsksForNothingThatWasNotLost) {
  make(kLongPast);
  look();
  EXPECT_EQ(idle(), "");
  EXPECT_EQ(asked_, 0);
}

TEST_F(PriorityReturnTest, TellsWhyItCannotBeHadAgain) {
  make(kLongPast);
  refuses_ = true;
  ++losses_;
  look();
  EXPECT_NE(fire().find("set SCHED_FIFO priority 2"), std::string::npos);
  idle();
  EXPECT_EQ(asked_, 1);
}

}  // namespace
}  // namespace evictd::daemon
