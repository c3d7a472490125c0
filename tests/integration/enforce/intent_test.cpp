// SPDX-License-Identifier: Apache-2.0
#include "enforce/intent.h"

#include <gtest/gtest.h>
#include <sys/xattr.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "enforce/cgroup_actuator.h"
#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;

constexpr std::string_view kClock =
    "6f1c4c6e-1111-4222-8333-444455556666, clock ahead by -9000000000000000000 ns";

/// A pod that an evictd had set out to kill, and did not: it cannot fork.
class AbandonedVictim : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
    pod_.start(Behaviour::kSleep);
    set_pids_max("77");
    ASSERT_TRUE(write_intent(pod_.target(), {.began_at = kStart, .kill_due_at = kStart}, kClock));
    set_pids_max("0");
  }
  void set_pids_max(const std::string& text) const {
    write_file(pod_.directories()[1] + "/pids.max", text);
  }
  /// What an intent that is written now says of pids.max.
  static std::string pids_max_noted_by(const KillTarget& target) {
    EXPECT_TRUE(write_intent(target, {.began_at = kStart, .kill_due_at = kStart}, kClock));
    return read_intent(target).value_or(Intent{}).pids_max;
  }

  PrivatePod pod_{PrivatePod::Kind::kV1};
};

TEST_F(AbandonedVictim, CanForkAgainAfterTheActuatorRefusedToGoOnWithIt) {
  const std::unique_ptr<CgroupActuator> actuator = pod_.actuator();
  std::vector<CgroupId> others;
  actuator->use_roots(others);
  KillTarget& target = pod_.target();
  ASSERT_FALSE(actuator->adopt(target,
                               {.state = EvictionState::kTerminating,
                                .began_at = kStart,
                                .kill_due_at = kStart + seconds{30}},
                               kStart));

  const std::optional<Intent> intent = read_intent(target);
  ASSERT_TRUE(intent) << "it alone has what pids.max was";
  EXPECT_EQ(restore_pids_max(target, *intent), ForkRestore::kRestored);

  EXPECT_EQ(pod_.pids_max(), "77");
  clear_intent(target);
  EXPECT_FALSE(read_intent(target));
}

TEST_F(AbandonedVictim, IsKnownByItsCurrentLimitOrTheTargetsBeforeZero) {
  KillTarget& in_use = pod_.target();
  KillTarget& not_yet_in_use = pod_.target();
  const std::optional<Intent> intent = read_intent(in_use);
  ASSERT_TRUE(intent);
  ASSERT_EQ(restore_pids_max(in_use, *intent), ForkRestore::kRestored);
  EXPECT_EQ(pids_max_noted_by(in_use), "77");
  KillTarget& made_anew = pod_.target();
  set_pids_max("0");
  EXPECT_EQ(pids_max_noted_by(in_use), "0") << "it was 0 when that was opened";
  EXPECT_EQ(pids_max_noted_by(made_anew), "77");

  ASSERT_EQ(restore_forks(not_yet_in_use, *intent), ForkRestore::kRestored);
  set_pids_max("0");
  EXPECT_EQ(pids_max_noted_by(not_yet_in_use), "77");
}

TEST_F(AbandonedVictim, IsKnownWithTheClockThatItsMomentsAreToldBy) {
  KillTarget& target = pod_.target();
  for (const bool for_disk : {false, true}) {
    const Intent written{.hard = false,
                         .began_at = kStart,
                         .kill_due_at = kStart + seconds{30},
                         .for_disk = for_disk};
    ASSERT_TRUE(write_intent(target, written, kClock));
    Intent expected = written;
    expected.pids_max = "0";
    expected.clock = kClock;
    EXPECT_EQ(read_intent(target), expected);
    EXPECT_EQ(read_intent(target.usage_descriptor()), expected);

    expected.clock.clear();
    ASSERT_TRUE(write_intent(target, written, {}));
    EXPECT_EQ(read_intent(target), expected);
  }
}

TEST_F(AbandonedVictim, IsKnownByWhatAnEvictdWroteThatDidNotTellOfItsClock) {
  KillTarget& target = pod_.target();
  for (const std::string& text :
       {std::string("2 soft 5 7 77"), std::string("2 soft 5 7 77 disk")}) {
    ASSERT_EQ(::fsetxattr(target.usage_descriptor(), "trusted.evictd", text.data(), text.size(), 0),
              0);
    const Intent expected{.hard = false,
                          .began_at = MonoTime(Duration(5)),
                          .kill_due_at = MonoTime(Duration(7)),
                          .for_disk = text.ends_with("disk"),
                          .pids_max = "77"};
    EXPECT_EQ(read_intent(target), expected);
  }
}

TEST_F(AbandonedVictim, KeepsALimitThatSomebodySetMeanwhile) {
  set_pids_max("5");
  KillTarget& target = pod_.target();
  const std::optional<Intent> intent = read_intent(target);
  ASSERT_TRUE(intent);

  EXPECT_EQ(restore_pids_max(target, *intent), ForkRestore::kNotStopped);

  EXPECT_EQ(pod_.pids_max(), "5");
}

}  // namespace
}  // namespace evictd::enforce::test
