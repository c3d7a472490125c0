// SPDX-License-Identifier: Apache-2.0
#include "daemon/descriptor_shares.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "daemon/hot/hot_pod.h"

namespace evictd::daemon {
namespace {

/// Takes the lowest free numbers up to `number`, so that the next descriptor has a greater one.
std::vector<base::Fd> fill_up_to(int number) {
  std::vector<base::Fd> taken;
  do {
    taken.emplace_back(::dup(STDERR_FILENO));
  } while (taken.back() && taken.back().get() < number);
  return taken;
}

TEST(DescriptorShares, SignalsGiveWayFirstThenReadingsAndARestIsForNoPod) {
  const DescriptorShares shares(/*limit=*/320);

  const std::vector<base::Fd> some = fill_up_to(278);
  EXPECT_TRUE(shares.may_prepare());
  const std::vector<base::Fd> most_for_signals = fill_up_to(279);
  EXPECT_FALSE(shares.may_prepare());
  EXPECT_TRUE(shares.may_keep_files());
  EXPECT_EQ(shares.room(), 0U);
  const std::vector<base::Fd> most = fill_up_to(299);
  EXPECT_FALSE(shares.may_keep_files());
}

TEST(DescriptorShares, ThereIsRoomForTheMorePodsTheHigherTheLimit) {
  const std::vector<base::Fd> some = fill_up_to(99);

  EXPECT_EQ(DescriptorShares(320).room(), (280U - 100U) / 8);
  EXPECT_EQ(DescriptorShares(20000).room(), (17500U - 100U) / 8);
}

/// How many descriptors the kernel has room for without another table.
std::uint64_t table_size() {
  std::ifstream status("/proc/self/status");
  std::uint64_t size = 0;
  for (std::string word; status >> word && word != "FDSize:";) {
  }
  status >> size;
  return size;
}

TEST(DescriptorShares, RoomForAFullNodeIsMadeAtOnceAsFarAsTheLimitGoes) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const std::uint64_t whole = std::min<std::uint64_t>(before.rlim_max, 8U * kMaxPods);
  ASSERT_GT(whole, 2048U);
  rlimit few = before;
  few.rlim_cur = 2048;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  make_room_for_descriptors(2048);
  EXPECT_GE(table_size(), 2048U);
  EXPECT_LT(table_size(), whole);

  few.rlim_cur = before.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  make_room_for_descriptors(before.rlim_max);
  EXPECT_GE(table_size(), whole);
  const base::Fd next(::dup(0));
  EXPECT_LT(next.get(), 2048) << "the room is not taken up";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(DescriptorShares, TheSoftLimitIsRaisedToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = before.rlim_max / 2;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);

  const Result<DescriptorLimit> raised = raise_descriptor_limit();

  ASSERT_TRUE(raised);
  EXPECT_EQ(raised->before, lower.rlim_cur);
  EXPECT_EQ(raised->now, before.rlim_max);
  rlimit after{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace evictd::daemon
