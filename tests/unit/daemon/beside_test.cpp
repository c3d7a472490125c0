// SPDX-License-Identifier: Apache-2.0
#include "daemon/beside.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>
#include <vector>

namespace evictd::daemon {
namespace {

TEST(Beside, WorksWhileTheCallerDoesSomethingElse) {
  std::promise<int> given;
  int taken = 0;
  Beside beside([&] { taken = given.get_future().get(); });
  given.set_value(7);  // Work that was done before this would wait for ever.
  beside.wait();
  EXPECT_EQ(taken, 7);
}

TEST(Beside, IsDoneOnceHoweverOftenItIsAwaited) {
  int times = 0;
  {
    Beside beside([&] { ++times; });
    beside.wait();
    beside.wait();
  }
  EXPECT_EQ(times, 1);
}

TEST(ForEachBelow, CallsWithEveryNumberOnce) {
  for (const std::size_t count : {0U, 1U, 5U, 1001U}) {
    std::vector<int> times(count, 0);
    for_each_below(count, [&](std::size_t i) { ++times[i]; });
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(count));
  }
}

TEST(ForEachBelow, TakesASecondThreadForManyAndNoneForFew) {
  const auto threads_for = [](std::size_t count) {
    std::vector<std::thread::id> by(count);
    for_each_below(count, [&](std::size_t i) { by[i] = std::this_thread::get_id(); });
    return std::set<std::thread::id>(by.begin(), by.end()).size();
  };
  EXPECT_EQ(threads_for(5), 1U);
  EXPECT_EQ(threads_for(1000), 2U);
}

}  // namespace
}  // namespace evictd::daemon
