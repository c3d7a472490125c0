// SPDX-License-Identifier: Apache-2.0
// What becomes of pids.max of a pod that is evicted: the next container in it must be able to fork.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actuator_on_v1.h"
#include "descriptors.h"
#include "enforce/intent.h"
#include "enforce/kill_target.h"
#include "support/tasks.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;
using evictd::test::kTasksOfAForkedProcess;

/// A pod of which a limit on processes is set from outside, on itself and on its container.
class LimitedPod : public CgroupActuatorOnV1 {
 protected:
  void SetUp() override {
    CgroupActuatorOnV1::SetUp();
    if (!IsSkipped()) {
      pod_.add_container("c1");
      set_pids_max("77");
      write_file(container_limit(), "55");
    }
  }
  [[nodiscard]] std::string container_limit() const {
    return pod_.directories()[1] + "/c1/pids.max";
  }
  void set_pids_max(const std::string& text) const {
    write_file(pod_.directories()[1] + "/pids.max", text);
  }
  [[nodiscard]] std::string text_of_container_limit() const {
    std::ifstream file(container_limit());
    std::string text;
    file >> text;
    return text;
  }
};

TEST_F(LimitedPod, CanForkAgainOnceItsLastProcessIsGone) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  ASSERT_TRUE(actuator_->begin(pod_.target(), Duration{0}, kStart));
  EXPECT_EQ(pod_.pids_max(), "0");

  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "77");
  EXPECT_EQ(text_of_container_limit(), "55") << "only the pod's own is touched";
}

TEST_F(LimitedPod, CanForkAgainWhateverItsTargetMadeAnewHasSeen) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  ASSERT_TRUE(actuator_->begin(pod_.target(), Duration{0}, kStart));
  actuator_->replace(pod_.target());

  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "77");
}

TEST_F(LimitedPod, KeepsALimitThatIsSetAfterItsKill) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  ASSERT_TRUE(actuator_->begin(pod_.target(), Duration{0}, kStart));
  set_pids_max("33");

  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "33");
}

TEST_F(LimitedPod, IsKilledAgainWithTheLimitThatItHasByThen) {
  for (const std::string& limit : {std::string("77"), std::string("88")}) {
    set_pids_max(limit);
    pod_.start(Behaviour::kIgnoreTerm, "c1");
    ASSERT_TRUE(actuator_->begin(pod_.target(), Duration{0}, kStart));

    ASSERT_TRUE(await(*actuator_, kReleased, kStart));

    EXPECT_EQ(pod_.pids_max(), limit);
  }
}

TEST_F(LimitedPod, GetsTheLimitBackThatItsIntentHas) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  KillTarget& target = pod_.target();
  const PidsMax noted = target.pids_max_now();
  ASSERT_TRUE(write_intent(target, {.began_at = kStart, .kill_due_at = kStart}, "clock", noted));
  set_pids_max("88");
  ASSERT_TRUE(actuator_->begin(target, Start{.pids_max = noted}, kStart));

  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "77") << "it is read once, for both";
}

TEST_F(LimitedPod, GetsBackTheLimitItHadWhenOpenedLate) {
  KillTarget::Options options = pod_.options();
  options.preparation = Preparation::kLater;
  KillTarget& target = pod_.open_target(options);
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  const PidsMax noted = target.pids_max_now();
  set_pids_max("88");
  ASSERT_TRUE(actuator_->begin(target, Start{.pids_max = noted}, kStart));

  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "88");
}

TEST_F(LimitedPod, OfAnEarlierEvictdCanForkAgainOnceItIsGone) {
  set_pids_max("0");
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  ASSERT_TRUE(actuator_->adopt(pod_.target(),
                               {.state = kKilled,
                                .began_at = kStart,
                                .kill_due_at = kStart,
                                .killed_at = kStart,
                                .pids_max = PidsMax("77")},
                               kStart));
  actuator_->on_deadline(kStart);

  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "77");
}

constexpr Start kForPids{.grace = seconds{30}, .hold_tasks = true};

TEST_F(LimitedPod, OfAnEvictionForPidsHasNoMoreTasksThanItHad) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  pod_.start(Behaviour::kIgnoreTerm);

  ASSERT_TRUE(actuator_->begin(pod_.target(), kForPids, kStart));
  EXPECT_EQ(pod_.pids_max(), std::to_string(2 * kTasksOfAForkedProcess));
  EXPECT_EQ(text_of_container_limit(), "55");
  EXPECT_EQ(actuator_->counters().tasks_held, 1U);
  EXPECT_EQ(actuator_->counters().opened_before_signal, 0U);

  actuator_->on_deadline(kStart + seconds{30});
  EXPECT_EQ(pod_.pids_max(), "0");
  ASSERT_TRUE(await(*actuator_, kReleased, kStart + seconds{30}));
  EXPECT_EQ(pod_.pids_max(), "77");
}

TEST_F(LimitedPod, OfAnEvictionForAnythingElseMayForkInItsGrace) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");

  ASSERT_TRUE(actuator_->begin(pod_.target(), seconds{30}, kStart));

  EXPECT_EQ(pod_.pids_max(), "77");
}

TEST_F(LimitedPod, ThatEndsInItsGraceHasItsLimitBack) {
  const pid_t process = pod_.start(Behaviour::kSleep, "c1");
  ASSERT_TRUE(actuator_->begin(pod_.target(), kForPids, kStart));
  EXPECT_EQ(pod_.pids_max(), std::to_string(kTasksOfAForkedProcess));
  actuator_->replace(pod_.target());

  EXPECT_EQ(await_end(process), SIGTERM);
  ASSERT_TRUE(await(*actuator_, kReleased, kStart));

  EXPECT_EQ(pod_.pids_max(), "77");
}

TEST_F(LimitedPod, ThatIsLetLiveHasItsLimitBack) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, kForPids, kStart));
  target.set_protection(Protection::kCritical);

  actuator_->on_deadline(kStart + seconds{30});

  EXPECT_EQ(pod_.pids_max(), "77");
}

TEST_F(LimitedPod, WithLessThanItHoldsKeepsItsOwnLimit) {
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  set_pids_max("1");

  ASSERT_TRUE(actuator_->begin(pod_.target(), kForPids, kStart));

  EXPECT_EQ(pod_.pids_max(), "1");
  EXPECT_EQ(actuator_->counters().tasks_held, 1U);
}

TEST_F(LimitedPod, ThatForksAllTheTimeLosesNoTaskToTheLimit) {
  set_pids_max("60");
  pod_.start(Behaviour::kForkFast);
  while (pod_.processes().size() < 20) {
  }
  KillTarget& target = pod_.target();

  ASSERT_TRUE(target.hold_tasks());

  std::ifstream file(pod_.directories()[1] + "/pids.current");
  int tasks = 0;
  file >> tasks;
  EXPECT_LE(tasks, std::stoi(pod_.pids_max()));
}

TEST_F(LimitedPod, OfAnEarlierEvictdKeepsItsTasksAndHasItsLimitBack) {
  const Adoption adoption{.began_at = kStart,
                          .kill_due_at = kStart + seconds{30},
                          .pids_max = PidsMax("77"),
                          .hold_tasks = true};
  // That evictd came so far, or no further than to say so.
  for (const std::string& found : {std::string("5"), std::string("77")}) {
    set_pids_max(found);
    const pid_t process = pod_.start(Behaviour::kIgnoreTerm, "c1");
    ASSERT_TRUE(actuator_->adopt(pod_.target(), adoption, kStart));
    EXPECT_EQ(pod_.pids_max(), found == "5" ? "5" : std::to_string(kTasksOfAForkedProcess));

    ::kill(process, SIGKILL);
    await_end(process);
    ASSERT_TRUE(await(*actuator_, kReleased, kStart));

    EXPECT_EQ(pod_.pids_max(), "77");
  }
}

TEST_F(LimitedPod, HasItsLimitBackFromWhatItsIntentSays) {
  KillTarget& target = pod_.target();
  const Intent intent{.began_at = kStart, .kill_due_at = kStart, .hold_tasks = true};
  ASSERT_TRUE(write_intent(target, intent, "clock"));
  set_pids_max("5");
  const std::optional<Intent> read = read_intent(target);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->hold_tasks);

  EXPECT_EQ(restore_pids_max(target, *read), ForkRestore::kRestored);

  EXPECT_EQ(pod_.pids_max(), "77");
}

/// More cgroups than this process may have descriptors.
class CrowdedPod : public CgroupActuatorOnV1 {
 protected:
  static constexpr int kChildren = 1100;
  static constexpr std::size_t kMostDescriptors = 1024;

  void SetUp() override {
    CgroupActuatorOnV1::SetUp();
    if (IsSkipped()) {
      return;
    }
    for (int i = 0; i < kChildren; ++i) {
      pod_.add_container("c" + std::to_string(i));
    }
    first_ = pod_.start(Behaviour::kIgnoreTerm, "c0");
    last_ = pod_.start(Behaviour::kIgnoreTerm, "c" + std::to_string(kChildren - 1));
    limit_.emplace(kMostDescriptors - open_descriptors());
  }
  void TearDown() override { limit_.reset(); }

  pid_t first_ = -1;
  pid_t last_ = -1;
  std::optional<DescriptorLimit> limit_;
};

TEST_F(CrowdedPod, IsKilledWithFewerDescriptorsThanItHasCgroups) {
  for (const Preparation preparation : {Preparation::kAtOnce, Preparation::kLater}) {
    KillTarget::Options options = pod_.options();
    options.preparation = preparation;
    const Result<std::unique_ptr<KillTarget>> target = KillTarget::open(options);
    ASSERT_TRUE(target) << target.error().message();
    EXPECT_EQ((*target)->prepared(), preparation == Preparation::kAtOnce)
        << "is not tried for ever";
    EXPECT_GT(limit_->free(), kMostDescriptors / 2) << "what is left is to signal through";

    const Result<SignalReport> told = actuator_->begin(**target, seconds{30}, kStart);
    ASSERT_TRUE(told) << told.error().message();
    EXPECT_EQ(told->processes, 2U);
    if (preparation == Preparation::kLater) {
      actuator_->on_deadline(kStart + seconds{30});
      EXPECT_EQ(await_end(first_), SIGKILL);
      EXPECT_EQ(await_end(last_), SIGKILL);
      EXPECT_TRUE(await(*actuator_, kReleased, kStart + seconds{30}));
    }
    actuator_ = pod_.actuator();
  }
  EXPECT_TRUE(pod_.processes().empty());
}

}  // namespace
}  // namespace evictd::enforce::test
