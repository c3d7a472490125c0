// SPDX-License-Identifier: Apache-2.0
#include "enforce/intent.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "enforce/cgroup_actuator.h"
#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;

/// A pod that an evictd had set out to kill, and did not: it cannot fork.
class AbandonedVictim : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
    pod_.start(Behaviour::kSleep);
    set_pids_max("77");
    ASSERT_TRUE(write_intent(pod_.target(), {.began_at = kStart, .kill_due_at = kStart}));
    set_pids_max("0");
  }
  void set_pids_max(const std::string& text) const {
    write_file(pod_.directories()[1] + "/pids.max", text);
  }
  /// What an intent that is written now says of pids.max.
  static std::string pids_max_noted_by(const KillTarget& target) {
    EXPECT_TRUE(write_intent(target, {.began_at = kStart, .kill_due_at = kStart}));
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

TEST_F(AbandonedVictim, IsKnownAsItIsOnlyToATargetThatWasMadeAnewOrRestored) {
  KillTarget& in_use = pod_.target();
  KillTarget& not_yet_in_use = pod_.target();
  const std::optional<Intent> intent = read_intent(in_use);
  ASSERT_TRUE(intent);
  ASSERT_EQ(restore_pids_max(in_use, *intent), ForkRestore::kRestored);
  EXPECT_EQ(pids_max_noted_by(in_use), "0") << "whoever uses it may be reading that now";
  EXPECT_EQ(pids_max_noted_by(pod_.target()), "77");

  set_pids_max("0");
  ASSERT_EQ(restore_forks(not_yet_in_use, *intent), ForkRestore::kRestored);
  EXPECT_EQ(pids_max_noted_by(not_yet_in_use), "77");
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
