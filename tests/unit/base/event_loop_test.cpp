// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <functional>

#include "base/system_clock.h"
#include "base/timer.h"
#include "support/refused_call.h"

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

/// For a process of its own: what a loop does on a kernel without epoll_pwait2. The exit status is
/// 0 if it waits and dispatches as ever, 1 if not, 2 if the call could not be refused.
[[noreturn]] void wait_without_pwait2() {
  if (!evictd::test::refuse_call(SYS_epoll_pwait2, ENOSYS)) {
    std::_Exit(2);
  }
  EventLoop loop = EventLoop::create().value();
  const SystemClock clock;
  const WakeUp ready = WakeUp::create().value();
  int calls = 0;
  CallbackHandler on_ready([&] { ++calls; });
  bool right = loop.add(ready.descriptor(), EPOLLIN, on_ready).has_value();
  for (const Duration timeout : {Duration(1), Duration(std::chrono::microseconds(2100))}) {
    const MonoTime end = clock.now() + timeout;
    right = right && loop.run_once(timeout) == 0 && clock.now() >= end;
  }
  right = right && loop.run_once(Duration(0)) == 0;
  ready.signal();
  right = right && loop.run_once() == 1 && loop.run_once(std::chrono::hours(10000)) == 1;
  std::_Exit(right && calls == 2 ? 0 : 1);
}

TEST(EventLoop, WaitsInMillisecondsWhereTheKernelHasNoOtherCall) {
  EXPECT_EXIT(wait_without_pwait2(), testing::ExitedWithCode(0), "");
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
