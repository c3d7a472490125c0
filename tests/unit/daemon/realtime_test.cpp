// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/realtime.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

namespace evictd::daemon {
namespace {

TEST(RealtimePriority, CountsEachTimeThatItsLimitTookIt) {
  ASSERT_FALSE(realtime_overrun_holds());
  ASSERT_TRUE(prepare_realtime_overrun_signal());
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXCPU);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);

  raise(SIGXCPU);
  EXPECT_EQ(realtime_overruns(), 1U);
  EXPECT_TRUE(realtime_overrun_holds());
  raise(SIGXCPU);
  EXPECT_EQ(realtime_overruns(), 2U);
  EXPECT_TRUE(realtime_overrun_holds()) << "until it is given back";
}

}  // namespace
}  // namespace evictd::daemon
