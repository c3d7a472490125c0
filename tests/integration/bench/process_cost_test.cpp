// SPDX-License-Identifier: Apache-2.0
#include "idle/process_cost.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace evictd::bench {
namespace {

Duration run_time_of_this_thread() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return Duration{std::chrono::seconds{spent.tv_sec}} + std::chrono::nanoseconds{spent.tv_nsec};
}

TEST(ProcessCost, HasWhatAThreadRanThatHasEnded) {
  const Result<ProcessCost> before = cost_of(::getpid());
  ASSERT_TRUE(before) << before.error().message();
  Duration ran{};
  std::thread([&ran] {
    while (ran < std::chrono::milliseconds{20}) {
      ran = run_time_of_this_thread();
    }
  }).join();
  const Result<ProcessCost> after = cost_of(::getpid());
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_GE(after->cpu - before->cpu, ran);
}

}  // namespace
}  // namespace evictd::bench
