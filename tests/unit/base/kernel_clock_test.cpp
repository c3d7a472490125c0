// SPDX-License-Identifier: Apache-2.0
#include "base/kernel_clock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"

namespace evictd::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A /proc/self of a process in a time namespace, removed at the end.
class ProcessInATimeNamespace : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_ + "/proc/self/ns"); }

  void is_in(const std::string& own, const std::string& of_children) const {
    std::filesystem::create_symlink(own, root_ + "/proc/self/ns/time");
    std::filesystem::create_symlink(of_children, root_ + "/proc/self/ns/time_for_children");
  }
  void has_offsets(std::string_view text) const {
    std::ofstream(root_ + "/proc/self/timens_offsets") << text;
  }

  test::TemporaryDirectory directory_;
  std::string root_ = directory_.path().string();
};

TEST_F(ProcessInATimeNamespace, ReadsTheKernelsMomentsOnItsOwnClock) {
  is_in("time:[4026532177]", "time:[4026532177]");
  has_offsets("monotonic       86400  500000000\nboottime            7         0\n");
  const Result<KernelClock> clock = KernelClock::learn(root_);
  ASSERT_TRUE(clock) << clock.error().message();
  EXPECT_EQ(clock->offset(), seconds(86400) + milliseconds(500));
  EXPECT_EQ(clock->moment(1'000'000'000), MonoTime{seconds(86401) + milliseconds(500)});
  EXPECT_EQ(clock->moment(0), MonoTime{}) << "what has not happened has not";
}

TEST_F(ProcessInATimeNamespace, TakesOffsetsBelowZero) {
  is_in("time:[4026532177]", "time:[4026532177]");
  has_offsets("monotonic          -2  900000000\nboottime           -2         0\n");
  EXPECT_EQ(KernelClock::learn(root_)->moment(5'000'000'000), MonoTime{milliseconds(3900)});
}

TEST_F(ProcessInATimeNamespace, DoesNotTakeTheOffsetsOfItsChildrenForItsOwn) {
  is_in("time:[4026532177]", "time:[4026532200]");
  has_offsets("monotonic       86400         0\nboottime            0         0\n");
  const Result<KernelClock> clock = KernelClock::learn(root_);
  ASSERT_FALSE(clock);
  EXPECT_EQ(clock.error().code, Errc::kUnsupported);
}

TEST_F(ProcessInATimeNamespace, HasTheKernelsClockInTheFirstOneWhateverItsChildrenHave) {
  is_in("time:[4026531834]", "time:[4026532200]");
  has_offsets("monotonic       86400         0\nboottime            0         0\n");
  EXPECT_EQ(KernelClock::learn(root_)->moment(5), MonoTime{Duration{5}});
}

TEST_F(ProcessInATimeNamespace, HasTheKernelsClockWhereThereAreNoTimeNamespaces) {
  EXPECT_EQ(KernelClock::learn(root_)->offset(), Duration{0});
}

TEST_F(ProcessInATimeNamespace, DoesNotGuessWhatTheFileDoesNotTell) {
  is_in("time:[4026532177]", "time:[4026532177]");
  EXPECT_EQ(KernelClock::learn(root_).error().code, Errc::kNotFound);
  for (const std::string_view text :
       {"", "boottime 7 0\n", "monotonic\n", "monotonic 7\n", "monotonic x 0\n",
        "monotonic 7 1000000000\n", "monotonic 7 -1\n", "monotonic 99999999999 0\n"}) {
    has_offsets(text);
    const Result<KernelClock> clock = KernelClock::learn(root_);
    ASSERT_FALSE(clock) << text;
    EXPECT_EQ(clock.error().code, Errc::kMalformed) << text;
    EXPECT_NE(clock.error().message().find("timens_offsets"), std::string::npos);
  }
}

}  // namespace
}  // namespace evictd::base
