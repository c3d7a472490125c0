// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/worker.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <vector>

namespace evictd::daemon {
namespace {

/// For failure only.
constexpr Duration kPatience = std::chrono::minutes(1);

/// A thread that holds its first job until the test lets it go on, and keeps all it has taken.
class HeldWorker : public testing::Test {
 protected:
  void start() {
    ASSERT_TRUE(worker_.start("test-worker", [this] {
      while (const std::optional<int> job = worker_.next()) {
        if (taken_.empty()) {
          at_hand_.set_value();
          go_on_.get_future().wait();
        }
        taken_.push_back(*job);
      }
    }));
  }
  /// The first job is at hand afterwards, and no other waits.
  void start_with_a_job() {
    start();
    ASSERT_TRUE(worker_.push(1));
    at_hand_.get_future().wait();
  }

  std::promise<void> at_hand_;
  std::promise<void> go_on_;
  std::vector<int> taken_;
  Worker<int> worker_{JobBounds{.jobs = 2, .bytes = 100}};
};

TEST_F(HeldWorker, TheJobAtHandNoLongerWaitsAndIsNotDone) {
  start_with_a_job();
  EXPECT_EQ(worker_.waiting(), 0U);
  EXPECT_FALSE(worker_.idle());
  EXPECT_FALSE(worker_.await_idle(Duration::zero()));
  go_on_.set_value();
  EXPECT_TRUE(worker_.await_idle(kPatience));
  EXPECT_TRUE(worker_.idle());
}

TEST_F(HeldWorker, JobsBeyondTheBoundAreRefusedAndCounted) {
  start_with_a_job();
  EXPECT_TRUE(worker_.push(2));
  EXPECT_TRUE(worker_.push(3));
  EXPECT_FALSE(worker_.push(4));
  EXPECT_EQ(worker_.refused(), 1U);
  go_on_.set_value();
  worker_.end();
  EXPECT_EQ(taken_, (std::vector{1, 2, 3}));
}

TEST_F(HeldWorker, TheBytesOfTheJobAtHandAreFree) {
  ASSERT_TRUE(worker_.push(1, 100));
  EXPECT_FALSE(worker_.push(2, 1));
  start();
  at_hand_.get_future().wait();
  EXPECT_TRUE(worker_.push(2, 100));
  EXPECT_FALSE(worker_.push(3, 1));
  go_on_.set_value();
  worker_.end();
  EXPECT_EQ(taken_, (std::vector{1, 2}));
}

TEST_F(HeldWorker, TheNewestJobReplacesThoseThatWait) {
  start_with_a_job();
  EXPECT_TRUE(worker_.push(2, 100));
  worker_.replace(3);
  EXPECT_TRUE(worker_.push(4, 100)) << "the bytes of the replaced job are free";
  go_on_.set_value();
  worker_.end();
  EXPECT_EQ(taken_, (std::vector{1, 3, 4}));
}

TEST(Worker, NextReturnsWithoutAJobOnceItsTimeIsOver) {
  Worker<int> worker;
  EXPECT_EQ(worker.next(Duration::zero()), std::nullopt);
  EXPECT_FALSE(worker.ending());
  worker.push(1);
  worker.request_end();
  EXPECT_EQ(worker.next(), 1) << "what waits at the end is not lost";
  EXPECT_EQ(worker.next(), std::nullopt);
}

TEST(Worker, AThreadThatHangsIsLeftToTheProcess) {
  struct Shared {
    std::promise<void> go_on;
    std::promise<void> gone;
    Worker<int> worker;
  };
  auto shared = std::make_shared<Shared>();
  std::future<void> gone = shared->gone.get_future();
  ASSERT_TRUE(shared->worker.start("test-worker", [shared] {
    shared->go_on.get_future().wait();
    shared->gone.set_value();
  }));
  shared->worker.end_or_abandon(Duration::zero());
  shared->go_on.set_value();
  shared.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST(Answers, AreReadableUntilAllAreTaken) {
  Answers<int> answers(base::WakeUp::create().value());
  pollfd ready{.fd = answers.descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 0);
  answers.push(1);
  answers.push(2);
  EXPECT_EQ(::poll(&ready, 1, 0), 1);
  EXPECT_EQ(answers.take(), 1);
  EXPECT_EQ(answers.take(), 2);
  EXPECT_EQ(answers.take(), std::nullopt);
  EXPECT_EQ(::poll(&ready, 1, 0), 0);
}

}  // namespace
}  // namespace evictd::daemon
