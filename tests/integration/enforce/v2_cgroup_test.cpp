// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "descriptors.h"
#include "enforce/cgroup_actuator.h"
#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;

/// A pod in the cgroup2 hierarchy; killing needs no controller there.
class CgroupActuatorOnV2 : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
  }

  static std::string first_word(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    file >> text;
    return text;
  }

  PrivatePod pod_{PrivatePod::Kind::kV2};
  std::unique_ptr<CgroupActuator> actuator_ = pod_.actuator();
};

TEST_F(CgroupActuatorOnV2, OneWriteKillsThePodAndAllBelowIt) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  pod_.add_container("late");
  const pid_t late = pod_.start(Behaviour::kIgnoreTerm, "late");

  const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->method, SignalMethod::kCgroupKill);
  EXPECT_EQ(report->processes, 2U);
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_EQ(await_end(late), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart));
}

TEST_F(CgroupActuatorOnV2, PractisingAKillKillsNobodyAndItWorksAfterwards) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  actuator_->rehearse(target);

  for (int i = 0; i < 10; ++i) {
    actuator_->practise();
  }

  EXPECT_TRUE(alive(process));
  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV2, SigtermReachesAllProcessesAndEmptyCgroupEndsIt) {
  pod_.add_container("c1");
  const pid_t first = pod_.start(Behaviour::kSleep);
  const pid_t second = pod_.start(Behaviour::kSleep, "c1");
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));

  EXPECT_EQ(await_end(first), SIGTERM);
  EXPECT_EQ(await_end(second), SIGTERM);
  EXPECT_TRUE(await(*actuator_, kReleased, at(seconds{1001})));
  EXPECT_EQ(actuator_->counters().sigkills, 0U);
}

TEST_F(CgroupActuatorOnV2, WhatIgnoresSigtermIsKilledWhenItsGraceEnds) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, seconds{2}, kStart));
  actuator_->on_ready(kStart + seconds{1});
  EXPECT_TRUE(alive(process));
  actuator_->on_deadline(kStart + seconds{2});

  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart + seconds{2}));
}

TEST_F(CgroupActuatorOnV2, APodWithMoreCgroupsThanDescriptorsIsKilled) {
  constexpr int kChildren = 1100;
  for (int i = 0; i < kChildren; ++i) {
    pod_.add_container("c" + std::to_string(i));
  }
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm, "c" + std::to_string(kChildren - 1));
  const DescriptorLimit limit(1024 - open_descriptors());
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));

  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart));
}

TEST_F(CgroupActuatorOnV2, APodEvictedForPidsHasNoMoreTasksThanItHadUntilItIsGone) {
  const std::string pids_max = pod_.directories()[0] + "/pids.max";
  for (const char* above : {"/../..", "/.."}) {
    std::ofstream(pod_.directories()[0] + above + "/cgroup.subtree_control") << "+pids";
  }
  if (!std::filesystem::exists(pids_max)) {
    GTEST_SKIP() << "no pids controller on cgroup v2";
  }
  write_file(pids_max, "77");
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  ASSERT_TRUE(actuator_->begin(pod_.target(), {.grace = seconds{2}, .hold_tasks = true}, kStart));
  EXPECT_EQ(first_word(pids_max), "1");

  actuator_->on_deadline(kStart + seconds{2});

  EXPECT_EQ(await_end(process), SIGKILL);
  ASSERT_TRUE(await(*actuator_, kReleased, kStart + seconds{2}));
  EXPECT_EQ(first_word(pids_max), "77");
}

TEST_F(CgroupActuatorOnV2, AnEmptyPodIsANormalOutcome) {
  KillTarget& target = pod_.target();

  EXPECT_EQ(actuator_->begin(target, Duration{0}, kStart).error().code, Errc::kNotFound);
}

TEST_F(CgroupActuatorOnV2, AFrozenPodStillDies) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  write_file(pod_.directories()[0] + "/cgroup.freeze", "1");
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));

  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart));
}

}  // namespace
}  // namespace evictd::enforce::test
