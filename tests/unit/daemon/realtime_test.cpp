// SPDX-License-Identifier: Apache-2.0
#include "daemon/realtime.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

namespace evictd::daemon {
namespace {

TEST(RealtimePriority, ThatALimitTookIsToldOfOnceAndCountedEachTime) {
  ASSERT_FALSE(take_realtime_loss());
  ASSERT_TRUE(prepare_realtime_overrun_signal());
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXCPU);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);

  raise(SIGXCPU);
  EXPECT_EQ(realtime_overruns(), 1U);
  EXPECT_TRUE(take_realtime_loss());
  EXPECT_FALSE(take_realtime_loss());
  raise(SIGXCPU);
  EXPECT_EQ(realtime_overruns(), 2U);
  EXPECT_FALSE(take_realtime_loss()) << "it was lost before";
}

}  // namespace
}  // namespace evictd::daemon
