// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/system_clock.h"
#include "base/timer.h"

namespace evictd::base {
namespace {

class CallbackHandler final : public ReadyHandler {
 public:
  explicit CallbackHandler(std::function<void()> callback) : callback_(std::move(callback)) {}
  void on_ready(std::uint32_t /*events*/) override { callback_(); }

 private:
  std::function<void()> callback_;
};

TEST(EventLoop, CallsTheHandlerOfAReadyDescriptorOnly) {
  EventLoop loop = EventLoop::create().value();
  const WakeUp ready = WakeUp::create().value();
  const WakeUp idle = WakeUp::create().value();
  int ready_calls = 0;
  int idle_calls = 0;
  CallbackHandler on_ready([&] {
    ready.consume();
    ++ready_calls;
  });
  CallbackHandler on_idle([&] { ++idle_calls; });
  ASSERT_TRUE(loop.add(ready.descriptor(), EPOLLIN, on_ready));
  ASSERT_TRUE(loop.add(idle.descriptor(), EPOLLIN, on_idle));
  ready.signal();
  EXPECT_EQ(loop.run_once().value(), 1);
  EXPECT_EQ(ready_calls, 1);
  EXPECT_EQ(idle_calls, 0);
  EXPECT_EQ(loop.run_once(Duration(0)).value(), 0);
}

TEST(EventLoop, NeverCallsAHandlerThatWasRemovedInTheSameBatch) {
  EventLoop loop = EventLoop::create().value();
  const WakeUp first = WakeUp::create().value();
  const WakeUp second = WakeUp::create().value();
  int calls = 0;
  CallbackHandler* other = nullptr;
  CallbackHandler on_first([&] {
    ++calls;
    loop.remove(second.descriptor(), *other);
  });
  CallbackHandler on_second([&] {
    ++calls;
    loop.remove(first.descriptor(), on_first);
  });
  other = &on_second;
  ASSERT_TRUE(loop.add(first.descriptor(), EPOLLIN, on_first));
  ASSERT_TRUE(loop.add(second.descriptor(), EPOLLIN, on_second));
  first.signal();
  second.signal();
  EXPECT_EQ(loop.run_once().value(), 1);
  EXPECT_EQ(calls, 1);
}

TEST(Timer, IsReadyAtOnceForAMomentThatIsPast) {
  EventLoop loop = EventLoop::create().value();
  Timer timer = Timer::create().value();
  int calls = 0;
  CallbackHandler on_expiry([&] {
    EXPECT_TRUE(timer.consume());
    ++calls;
  });
  ASSERT_TRUE(loop.add(timer.descriptor(), EPOLLIN, on_expiry));
  timer.arm(MonoTime(Duration(1)));
  EXPECT_EQ(loop.run_once().value(), 1);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(timer.consume());
}

TEST(Timer, NeverExpiresBeforeItsMoment) {
  EventLoop loop = EventLoop::create().value();
  const SystemClock clock;
  Timer timer = Timer::create().value();
  CallbackHandler on_expiry([&] { timer.consume(); });
  ASSERT_TRUE(loop.add(timer.descriptor(), EPOLLIN, on_expiry));
  const MonoTime when = clock.now() + std::chrono::milliseconds(3);
  timer.arm(when);
  ASSERT_EQ(loop.run_once().value(), 1);
  EXPECT_GE(clock.now(), when);
}

TEST(Timer, StaysQuietOnceDisarmed) {
  Timer timer = Timer::create().value();
  timer.arm(MonoTime(Duration(1)));
  timer.disarm();
  EXPECT_FALSE(timer.consume());
}

}  // namespace
}  // namespace evictd::base
