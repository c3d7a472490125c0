// SPDX-License-Identifier: Apache-2.0
#include "tracer/hot_tracer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>

#include "base/fd.h"
#include "base/system_clock.h"
#include "small_hog.h"

namespace evictd::bench {
namespace {

class HotTracerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root for BPF";
    }
    Result<HotTracer> tracer = HotTracer::create();
    ASSERT_TRUE(tracer) << tracer.error().message();
    tracer_ = std::move(*tracer);
  }

  std::optional<HotTracer> tracer_;
};

TEST_F(HotTracerTest, RecordsTheCallsOfAThreadUpToItsSigkill) {
  const SmallHog victim{4096};
  const base::Fd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, victim.pid(), 0))};
  const base::Fd file{::open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC)};
  std::array<char, 64> text{};
  const MonoTime before = base::SystemClock{}.now();
  tracer_->arm(::gettid(), victim.pid());
  const ssize_t length = ::pread(file.get(), text.data(), text.size(), 0);
  const long sent = ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  const std::optional<HotTrace> trace = tracer_->disarm();
  const MonoTime after = base::SystemClock{}.now();
  ASSERT_GT(length, 0);
  ASSERT_EQ(sent, 0);

  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->calls.size(), 2U);
  EXPECT_EQ(trace->calls[0].kind, CallKind::kRead) << "a file by its name";
  const HotCall& killing = trace->calls[1];
  EXPECT_EQ(killing.kind, CallKind::kKill);
  EXPECT_LT(before, trace->calls[0].enter);
  EXPECT_LE(trace->calls[0].exit, killing.enter);
  EXPECT_LT(killing.enter, trace->sigkill);
  EXPECT_LT(trace->sigkill, killing.exit);
  EXPECT_LT(killing.exit, after);
}

TEST_F(HotTracerTest, HasNoTraceOfAThreadThatKilledNobody) {
  const SmallHog victim{4096};
  tracer_->arm(::gettid(), victim.pid());
  static_cast<void>(::getppid());
  EXPECT_FALSE(tracer_->disarm());
}

TEST(HotThread, IsNotFoundInAnotherProgram) {
  const Result<pid_t> found = hot_thread_of(::getpid());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::bench
