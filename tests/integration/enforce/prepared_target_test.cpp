// SPDX-License-Identifier: Apache-2.0
// What a target keeps open and what a rehearsal prepares, so that a signal needs no file opened.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "actuator_on_v1.h"
#include "descriptors.h"
#include "enforce/intent.h"
#include "enforce/kill_target.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;

/// Names of the extended attributes on the file of charged bytes.
std::string attributes_of(const KillTarget& target) {
  std::array<char, 256> names{};
  const ssize_t length = ::flistxattr(target.usage_descriptor(), names.data(), names.size());
  return length < 0 ? "not listed" : std::string(names.data(), static_cast<std::size_t>(length));
}

TEST_F(CgroupActuatorOnV1, TheSignalNeedsNoFileOpenedAndNoWalk) {
  pod_.add_container("c1");
  pod_.start(Behaviour::kIgnoreTerm, "c1");
  for (const Duration grace : {Duration{seconds{30}}, Duration{0}}) {
    KillTarget& target = pod_.target();

    const Result<SignalReport> report = actuator_->begin(target, grace, kStart);

    ASSERT_TRUE(report);
    EXPECT_EQ(report->opened, 0U);
    EXPECT_EQ(actuator_->counters().opened_before_signal, 0U);
    EXPECT_EQ(actuator_->counters().late_preparations, 0U);
    EXPECT_EQ(actuator_->counters().walks, 0U);
    actuator_ = pod_.actuator();
  }
}

CgroupId id_of(const std::string& directory, const PodRoot& root) {
  struct stat status {};
  EXPECT_EQ(::stat(directory.c_str(), &status), 0) << directory;
  return {.hierarchy = root.id().hierarchy, .id = status.st_ino};
}

TEST_F(CgroupActuatorOnV1, ATargetHoldsAllCgroupsWhateverWasKnownOfThem) {
  pod_.add_container("c1");
  pod_.add_container("c2");
  const std::vector<std::vector<std::string>> known{
      {"c1", "c2"}, {"c1"}, {}, {"c1", "gone"}, {"c1", "c2", "gone"}};
  for (const std::vector<std::string>& children : known) {
    KillTarget::Options options = pod_.options();
    options.children = children;

    const KillTarget& target = pod_.open_target(options);

    for (std::size_t i = 0; i < pod_.directories().size(); ++i) {
      for (const char* name : {"", "/c1", "/c2"}) {
        EXPECT_TRUE(target.holds(id_of(pod_.directories()[i] + name, pod_.roots()[i])))
            << pod_.directories()[i] << name << " with " << children.size() << " known";
      }
    }
    EXPECT_TRUE(target.prepared());
  }
}

TEST_F(CgroupActuatorOnV1, ARehearsalHarmsNobodyAndLeavesNothingBehind) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  const std::size_t before = open_descriptors();

  actuator_->rehearse(target);

  EXPECT_TRUE(target.pinned());
  EXPECT_FALSE(target.unused());
  EXPECT_EQ(open_descriptors(), before + 1) << "one pidfd";
  EXPECT_EQ(pod_.pids_max(), "max");
  actuator_->end_rehearsal();
  EXPECT_FALSE(target.pinned());
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_TRUE(alive(process));
}

TEST_F(CgroupActuatorOnV1, PractisingAKillChangesNothingAndItWorksAfterwards) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  write_file(pod_.directories()[1] + "/pids.max", "77");
  KillTarget& target = pod_.target();
  const std::size_t before = open_descriptors();
  actuator_->practise();  // Of nobody: nothing was rehearsed.
  actuator_->rehearse(target);

  for (int i = 0; i < 10; ++i) {
    actuator_->practise();
  }

  EXPECT_EQ(pod_.pids_max(), "77");
  EXPECT_TRUE(alive(process));
  EXPECT_EQ(open_descriptors(), before + 1) << "the pidfd of the rehearsal";
  EXPECT_EQ(attributes_of(target), "");
  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));
  EXPECT_EQ(pod_.pids_max(), "0");
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, PractisingLeavesTheIntentAlone) {
  pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(write_intent(target, {.began_at = kStart, .kill_due_at = kStart}, "clock"));
  actuator_->rehearse(target);

  actuator_->practise();

  EXPECT_EQ(read_intent(target).value_or(Intent{}).began_at, kStart);
}

TEST_F(CgroupActuatorOnV1, ARehearsedPodIsSignalledWithoutAFileOpenedAndWholly) {
  for (const Duration grace : {Duration{seconds{30}}, Duration{0}}) {
    pod_.start(Behaviour::kSleep);
    KillTarget& target = pod_.target();
    actuator_->rehearse(target);
    const pid_t later = pod_.start(Behaviour::kSleep);

    const Result<SignalReport> report = actuator_->begin(target, grace, kStart);

    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->processes, 2U) << "the one that came after the rehearsal too";
    EXPECT_EQ(report->opened, 0U);
    EXPECT_EQ(actuator_->counters().opened_before_signal, 0U);
    EXPECT_EQ(await_end(later), grace == Duration{0} ? SIGKILL : SIGTERM);
    EXPECT_TRUE(await(*actuator_, kReleased, kStart));
    EXPECT_FALSE(target.pinned());
    actuator_ = pod_.actuator();
    write_file(pod_.directories()[1] + "/pids.max", "max");
  }
}

TEST_F(CgroupActuatorOnV1, AProcessThatLeftThePodAfterTheRehearsalIsNotSignalled) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  actuator_->rehearse(target);
  for (const std::string& directory : pod_.directories()) {
    write_file(directory + "/../../cgroup.procs", std::to_string(process));
  }

  const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);

  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kNotFound);
  EXPECT_TRUE(alive(process));
  EXPECT_EQ(pod_.pids_max(), "max") << "what was not killed keeps its limit";
  ::kill(process, SIGKILL);
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, WhatWasRehearsedOfOnePodIsNotUsedForAnother) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& rehearsed = pod_.target();
  KillTarget& other = pod_.target();
  actuator_->rehearse(rehearsed);

  ASSERT_TRUE(actuator_->begin(other, Duration{0}, kStart));

  EXPECT_FALSE(rehearsed.pinned());
  EXPECT_TRUE(other.pinned());
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, ATargetThatWasUsedIsNotRehearsedAgain) {
  pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  actuator_->rehearse(target);
  actuator_->end_rehearsal();

  actuator_->rehearse(target);

  EXPECT_FALSE(target.pinned());
  EXPECT_EQ(actuator_->counters().reopened_procs, 0U);
}

TEST_F(CgroupActuatorOnV1, KillAfterSigtermOpensFilesUnlessTargetWasReplaced) {
  for (const bool anew : {false, true}) {
    const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
    actuator_ = pod_.actuator();
    ASSERT_TRUE(actuator_->begin(pod_.target(), seconds{30}, kStart));
    if (anew) {
      actuator_->replace(pod_.target());
    }
    actuator_->on_deadline(kStart + seconds{30});

    EXPECT_EQ(await_end(process), SIGKILL);
    EXPECT_EQ(actuator_->counters().opened_before_signal > 0, !anew);
  }
}

TEST_F(CgroupActuatorOnV1, AKillOpensFilesAfterItsFirstSignalAndNoneBefore) {
  const pid_t process = pod_.start(Behaviour::kSleep);

  const Result<SignalReport> report = actuator_->begin(pod_.target(), Duration{0}, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->opened, 0U);
  EXPECT_EQ(actuator_->counters().opened_before_signal, 0U);
  EXPECT_GT(actuator_->counters().reopened_procs, 0U);
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, UnpreparedTargetIsKilledAndCounted) {
  pod_.add_container("c1");
  const pid_t process = pod_.start(Behaviour::kSleep, "c1");
  KillTarget::Options options = pod_.options();
  options.preparation = Preparation::kLater;
  const std::size_t before = open_descriptors();
  KillTarget& target = pod_.open_target(options);
  EXPECT_EQ(open_descriptors(), before);

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));

  EXPECT_EQ(actuator_->counters().late_preparations, 1U);
  EXPECT_EQ(pod_.pids_max(), "0");
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart));
}

TEST_F(CgroupActuatorOnV1, APodWithOneContainerKeepsFiveDescriptors) {
  pod_.add_container("c1");
  const std::size_t before = open_descriptors();

  const KillTarget& target = pod_.target();

  EXPECT_TRUE(target.prepared());
  EXPECT_EQ(open_descriptors() - before, 5U);
}

TEST_F(CgroupActuatorOnV1, TargetOpensUnpreparedWithoutDescriptors) {
  pod_.add_container("c1");
  // Two are needed to look at a directory and at what is in it, and one more for a container.
  const DescriptorLimit limit(5);

  const Result<std::unique_ptr<KillTarget>> target = KillTarget::open(pod_.options());

  ASSERT_TRUE(target) << target.error().message();
  EXPECT_FALSE((*target)->prepared());
  EXPECT_EQ(limit.free(), 5U);
}

}  // namespace
}  // namespace evictd::enforce::test
