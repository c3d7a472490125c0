// SPDX-License-Identifier: Apache-2.0
#include "sys/scheduling.h"

#include <gtest/gtest.h>

#include <thread>

namespace evictd::sys {
namespace {

TEST(ShortSlices, AreAskedForWithoutAnotherPolicyOrNiceness) {
  std::thread thread([] {
    const Result<SchedulingAttributes> before = scheduling_of_thread();
    ASSERT_TRUE(before) << before.error().message();
    const Result<> asked = ask_for_short_slices();
    ASSERT_TRUE(asked) << asked.error().message();
    const Result<SchedulingAttributes> after = scheduling_of_thread();
    ASSERT_TRUE(after) << after.error().message();

    EXPECT_EQ(after->policy, before->policy);
    EXPECT_EQ(after->nice, before->nice);
    // A kernel without slices of one's own says 0 before and after.
    EXPECT_EQ(after->runtime,
              before->runtime == 0 ? 0 : static_cast<std::uint64_t>(kShortSlice.count()));
  });
  thread.join();
}

}  // namespace
}  // namespace evictd::sys
