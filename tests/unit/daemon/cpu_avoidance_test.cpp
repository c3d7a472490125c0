// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/cpu_avoidance.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

cpu_set_t allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

/// Puts the thread's CPUs back as they were.
class CpuAvoidanceTest : public testing::Test {
 protected:
  void TearDown() override { ::sched_setaffinity(0, sizeof before_, &before_); }

  cpu_set_t before_ = allowed();
};

TEST_F(CpuAvoidanceTest, MayUseNoOtherCpusLessAndAllAgainAfterwards) {
  {
    const auto here = static_cast<std::uint32_t>(::sched_getcpu());
    CpuAvoidance avoidance;
    avoidance.expect_on(here);
    avoidance.begin();
    const cpu_set_t during = allowed();
    EXPECT_EQ(CPU_ISSET(here, &during) == 0, avoidance.moved());
    EXPECT_EQ(CPU_COUNT(&during), CPU_COUNT(&before_) - (avoidance.moved() ? 1 : 0));
  }
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

TEST_F(CpuAvoidanceTest, StaysWhereItMustRun) {
  const int here = ::sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(here), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  CpuAvoidance avoidance;
  avoidance.expect_on(static_cast<std::uint32_t>(here));
  avoidance.begin();
  EXPECT_FALSE(avoidance.moved());
  EXPECT_EQ(::sched_getcpu(), here);
}

TEST_F(CpuAvoidanceTest, ACpuThatDoesNotExistIsAvoidedAlready) {
  CpuAvoidance avoidance;
  avoidance.expect_on(CPU_SETSIZE + 1);
  avoidance.begin();
  EXPECT_FALSE(avoidance.moved());
}

TEST_F(CpuAvoidanceTest, BegunAgainItStillRemembersAllThatTheThreadMayUse) {
  CpuAvoidance avoidance;
  for (int i = 0; i < 3; ++i) {
    avoidance.expect_on(static_cast<std::uint32_t>(::sched_getcpu()));
    avoidance.begin();
  }
  avoidance.end();
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

}  // namespace
}  // namespace evictd::daemon
