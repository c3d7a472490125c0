// SPDX-License-Identifier: Apache-2.0
#include "base/priority_mutex.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace evictd::base {
namespace {

/// The calling thread's as the scheduler has it at the moment, below 0 if it is real-time. Source:
/// field 18 of proc_pid_stat(5).
int priority_of_this_thread() {
  std::ifstream file("/proc/thread-self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // The name, which is the second field, may have blanks.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  constexpr int kBetween = 15;
  std::string field;
  for (int i = 0; i < kBetween; ++i) {
    fields >> field;
  }
  int priority = 0;
  fields >> priority;
  return priority;
}

TEST(PriorityMutex, LendsItsHolderThePriorityOfWhoWaits) {
  PriorityMutex mutex;
  std::unique_lock lock(mutex);
  ASSERT_GE(priority_of_this_thread(), 0);
  std::atomic<bool> refused = false;
  std::thread waiting([&] {
    const sched_param lowest{.sched_priority = 1};
    refused = ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &lowest) != 0;
    const std::scoped_lock own(mutex);
  });
  // Only there so that a failing test ends.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool lent = false;
  while (!lent && !refused && std::chrono::steady_clock::now() < give_up) {
    lent = priority_of_this_thread() < 0;
  }
  lock.unlock();
  waiting.join();
  if (refused) {
    GTEST_SKIP() << "no real-time priority to be had";
  }
  EXPECT_TRUE(lent);
  EXPECT_GE(priority_of_this_thread(), 0) << "and it is given back";
}

}  // namespace
}  // namespace evictd::base
