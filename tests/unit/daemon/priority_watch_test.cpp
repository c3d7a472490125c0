// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/priority_watch.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "unit/engine/moments.h"

namespace evictd::daemon {
namespace {

using std::chrono::seconds;

/// A hot thread that has its priority, until somebody takes it.
class PriorityWatchTest : public testing::Test {
 protected:
  [[nodiscard]] PriorityWatch watch() {
    return PriorityWatch({.in_force = [this] { return in_force_; },
                          .overruns = [this] { return overruns_; },
                          .run = [this] { return run_; },
                          .give_back = [this]() -> Result<> {
                            ++given_;
                            if (refuses_) {
                              return fail_errno(EPERM, "set SCHED_FIFO priority 10");
                            }
                            in_force_ = true;
                            return {};
                          }});
  }
  void overrun() {
    in_force_ = false;
    ++overruns_;
  }

  bool in_force_ = true;
  std::uint64_t overruns_ = 0;
  Duration run_{};
  int given_ = 0;
  bool refuses_ = false;
};

TEST_F(PriorityWatchTest, TellsOfALossOnceAndOfItsCause) {
  PriorityWatch seen = watch();
  EXPECT_FALSE(seen.check(kNow));
  overrun();
  const auto lost = seen.check(kNow);
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->in_force);
  EXPECT_NE(lost->text.find("ran for realtime.limit"), std::string::npos);
  EXPECT_FALSE(seen.check(kNow + seconds(1)));
  EXPECT_EQ(seen.losses(), 1U);
}

TEST_F(PriorityWatchTest, GivesItBackAfterAQuietMinute) {
  PriorityWatch seen = watch();
  overrun();
  ASSERT_TRUE(seen.check(kNow));
  run_ = PriorityWatch::kMostRun / 2;
  EXPECT_FALSE(seen.check(kNow + seconds(59)));
  EXPECT_EQ(given_, 0);

  const auto back = seen.check(kNow + seconds(60));

  ASSERT_TRUE(back);
  EXPECT_TRUE(back->in_force);
  EXPECT_EQ(given_, 1);
  EXPECT_FALSE(seen.check(kNow + seconds(200)));
  EXPECT_EQ(given_, 1);
}

TEST_F(PriorityWatchTest, WaitsForAMinuteThatIsQuiet) {
  PriorityWatch seen = watch();
  overrun();
  ASSERT_TRUE(seen.check(kNow));
  run_ = PriorityWatch::kMostRun;
  EXPECT_FALSE(seen.check(kNow + seconds(60)));
  EXPECT_EQ(given_, 0);
  EXPECT_FALSE(seen.check(kNow + seconds(119)));
  EXPECT_TRUE(seen.check(kNow + seconds(120)));
  EXPECT_EQ(given_, 1);
}

TEST_F(PriorityWatchTest, IsToldOfEachLossAndReturn) {
  PriorityWatch seen = watch();
  for (int round = 0; round < 2; ++round) {
    const MonoTime at = kNow + seconds(200) * round;
    overrun();
    EXPECT_TRUE(seen.check(at));
    EXPECT_TRUE(seen.check(at + PriorityWatch::kQuiet));
  }
  EXPECT_EQ(seen.losses(), 2U);
  EXPECT_EQ(given_, 2);
}

TEST_F(PriorityWatchTest, SaysWhenSomebodyOutsideTookIt) {
  PriorityWatch seen = watch();
  in_force_ = false;
  const auto lost = seen.check(kNow);
  ASSERT_TRUE(lost);
  EXPECT_NE(lost->text.find("another process took"), std::string::npos);
  in_force_ = true;
  const auto back = seen.check(kNow + seconds(1));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->in_force);
  EXPECT_EQ(given_, 0);
}

TEST_F(PriorityWatchTest, TriesARefusalAgainAndTellsItOnce) {
  PriorityWatch seen = watch();
  overrun();
  refuses_ = true;
  ASSERT_TRUE(seen.check(kNow));
  const auto refused = seen.check(kNow + seconds(60));
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->in_force);
  EXPECT_FALSE(seen.check(kNow + seconds(120)));
  EXPECT_EQ(given_, 2);
  refuses_ = false;
  EXPECT_TRUE(seen.check(kNow + seconds(180)));
}

TEST_F(PriorityWatchTest, LeavesAloneWhatNeverHadIt) {
  in_force_ = false;
  PriorityWatch seen = watch();
  EXPECT_FALSE(seen.check(kNow));
  EXPECT_FALSE(seen.check(kNow + seconds(300)));
  EXPECT_EQ(given_, 0);
}

}  // namespace
}  // namespace evictd::daemon
