// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/hot_priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <future>
#include <thread>

#include "daemon/shared/realtime.h"

namespace evictd::daemon {
namespace {

constexpr config::RealtimeSettings kWanted{
    .enabled = true, .priority = 1, .limit = std::chrono::milliseconds(50)};

/// A thread that takes the priority, runs until its limit took it or until it had twenty times as
/// much, and then stays.
class OverrunThread {
 public:
  OverrunThread()
      : thread_([this] {
          taken_.set_value(priority.take(kWanted));
          while (!realtime_overrun_holds() && priority.run() < 20 * kWanted.limit) {
          }
          ran_.set_value();
          end_.wait(false);
        }) {}
  OverrunThread(const OverrunThread&) = delete;
  OverrunThread& operator=(const OverrunThread&) = delete;
  ~OverrunThread() {
    end_ = true;
    end_.notify_all();
    thread_.join();
  }
  Result<> take() { return taken_.get_future().get(); }
  void await_run() { ran_.get_future().wait(); }

  HotPriority priority;

 private:
  std::promise<Result<>> taken_;
  std::promise<void> ran_;
  std::atomic<bool> end_{false};
  std::thread thread_;
};

TEST(HotPriority, ThatALimitTookIsGivenBackWithItsLimit) {
  ASSERT_TRUE(prepare_realtime_overrun_signal());
  OverrunThread thread;
  const Result<> taken = thread.take();
  ASSERT_TRUE(taken) << taken.error().message();
  thread.await_run();
  ASSERT_TRUE(realtime_overrun_holds());
  EXPECT_FALSE(thread.priority.ask());
  EXPECT_FALSE(thread.priority.in_force());

  const Result<> given = thread.priority.give_back();

  ASSERT_TRUE(given) << given.error().message();
  EXPECT_TRUE(thread.priority.ask());
  EXPECT_FALSE(realtime_overrun_holds());
  rlimit limit = {};
  ASSERT_EQ(::getrlimit(RLIMIT_RTTIME, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, 50'000U) << "the kernel raises it when it is reached";
}

}  // namespace
}  // namespace evictd::daemon
