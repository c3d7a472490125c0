// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/system_clock.h"
#include "enforce/cgroup_actuator.h"
#include "enforce/dry_run_actuator.h"
#include "enforce/own_cgroups.h"
#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;

class ProtectedPods : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
  }

  /// Neither grace nor no grace gets a signal through, and the reason is counted.
  void expect_refused(KillTarget& target, Protection reason) {
    for (const Duration grace : {Duration{0}, Duration{seconds{30}}}) {
      const Result<SignalReport> report = actuator_->begin(target, grace, kStart);
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().code, Errc::kInvalid);
      EXPECT_FALSE(report.error().context.empty());
    }
    EXPECT_EQ(actuator_->counters().refused[static_cast<std::size_t>(reason)], 2U);
    EXPECT_EQ(actuator_->counters().sigterms + actuator_->counters().sigkills, 0U);
    EXPECT_FALSE(target.pinned());
    EXPECT_EQ(pod_.pids_max(), "max");
  }

  PrivatePod pod_{PrivatePod::Kind::kV1};
  std::unique_ptr<CgroupActuator> actuator_ = pod_.actuator();
};

TEST_F(ProtectedPods, AStaticMirrorCriticalOrUnknownPodIsNeverSignalled) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  for (const Protection protection :
       {Protection::kStatic, Protection::kMirror, Protection::kCritical, Protection::kUnknown}) {
    KillTarget& target = pod_.target(protection);
    expect_refused(target, protection);
    actuator_ = pod_.actuator();
  }
  EXPECT_TRUE(alive(process));
}

TEST_F(ProtectedPods, APodThatBecomesCriticalDuringItsGraceIsNotKilled) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));

  target.set_protection(Protection::kCritical);
  actuator_->on_deadline(kStart + seconds{30});

  static_cast<void>(actuator_->take_progress());
  const std::optional<Progress> end = actuator_->take_progress();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, kExceededGrace);
  EXPECT_EQ(end->not_killed, "critical");
  EXPECT_EQ(actuator_->take_progress(), std::nullopt);
  EXPECT_TRUE(alive(process));
  EXPECT_FALSE(target.pinned());
}

TEST_F(ProtectedPods, PodBelowAnUnknownRootIsNeverSignalled) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  std::vector roots{pod_.roots()[0].id()};
  actuator_->use_roots(roots);

  expect_refused(target, Protection::kOutsideRoot);
  EXPECT_TRUE(alive(process));
  EXPECT_EQ(roots.size(), pod_.roots().size()) << "those before are given back";
}

TEST_F(ProtectedPods, OurOwnPodIsNeverSignalled) {
  const pid_t neighbour = pod_.start(Behaviour::kSleep);
  const std::string procs = pod_.directories()[0] + "/cgroup.procs";
  KillTarget& opened_before = pod_.target();
  write_file(procs, "0");
  KillTarget& opened_after = pod_.target();

  EXPECT_EQ(opened_after.protection(), Protection::kOwnProcess);
  expect_refused(opened_before, Protection::kOwnProcess);
  EXPECT_EQ(opened_before.protection(), Protection::kOwnProcess) << "status and records ask for it";
  EXPECT_TRUE(alive(neighbour));
  write_file(Mounts::find().memory + "/cgroup.procs", "0");
}

TEST_F(ProtectedPods, OurOwnPodIsToldWithoutListingTheProcessesOfEach) {
  const Mounts mounts = Mounts::find();
  const sys::Root root = *sys::Root::open();
  const std::vector<sys::Hierarchy> hierarchies{{.version = sys::CgroupVersion::kV1,
                                                 .id = pod_.roots()[0].id().hierarchy,
                                                 .mount = mounts.memory},
                                                {.version = sys::CgroupVersion::kV1,
                                                 .id = pod_.roots()[1].id().hierarchy,
                                                 .mount = mounts.pids}};
  pod_.add_container("c1");
  for (const std::size_t hierarchy : {0U, 1U}) {
    for (const char* place : {"", "/c1"}) {
      KillTarget::Options options = pod_.options();
      const std::optional<OwnCgroups> outside = OwnCgroups::find(root, hierarchies);
      ASSERT_TRUE(outside) << hierarchy << place;
      options.own = &*outside;
      EXPECT_EQ(pod_.open_target(options).protection(), Protection::kNone);

      write_file(pod_.directories()[hierarchy] + place + "/cgroup.procs", "0");
      const std::optional<OwnCgroups> inside = OwnCgroups::find(root, hierarchies);
      options.own = inside ? &*inside : nullptr;
      const Protection protection = pod_.open_target(options).protection();
      write_file(hierarchies[hierarchy].mount + "/cgroup.procs", "0");
      EXPECT_TRUE(inside);
      EXPECT_EQ(protection, Protection::kOwnProcess);
    }
  }
}

TEST_F(ProtectedPods, WhereWeAreIsNotSaidIfTheCgroupThatIsNamedDoesNotListUs) {
  const Mounts mounts = Mounts::find();
  const std::vector<sys::Hierarchy> wrong{{.version = sys::CgroupVersion::kV1,
                                           .id = pod_.roots()[0].id().hierarchy,
                                           .mount = pod_.directories()[0]}};
  EXPECT_FALSE(OwnCgroups::find(*sys::Root::open(), wrong)) << "as in a cgroup namespace";
  const std::vector<sys::Hierarchy> none{
      {.version = sys::CgroupVersion::kV1, .id = 4711, .mount = mounts.memory}};
  EXPECT_FALSE(OwnCgroups::find(*sys::Root::open(), none)) << "no line of it";
}

TEST_F(ProtectedPods, APathThatLeavesTheRootIsNoTarget) {
  for (const char* path : {"", ".", "..", "../pod1", "pod1/..", "/pod1", "pod1//c1", "pod1/"}) {
    KillTarget::Options options = pod_.options();
    options.places[0].path = path;
    const Result<std::unique_ptr<KillTarget>> target = KillTarget::open(options);
    ASSERT_FALSE(target) << path;
    EXPECT_EQ(target.error().code, Errc::kInvalid) << path;
  }
}

TEST_F(ProtectedPods, APodWithoutAnyCgroupIsNoTarget) {
  KillTarget::Options options = pod_.options();
  for (KillTarget::Place& place : options.places) {
    place.path = "pod2";
  }

  EXPECT_EQ(KillTarget::open(options).error().code, Errc::kNotFound);
}

TEST_F(ProtectedPods, ADirectoryOutsideTheCgroupFileSystemIsNoPodRoot) {
  const Result<PodRoot> root =
      PodRoot::open({.kind = HierarchyKind::kV1Memory, .hierarchy = 4, .directory = "/tmp"});

  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, Errc::kInvalid);
}

TEST_F(ProtectedPods, ADryRunGoesThroughTheStatesOnTimeAndTouchesNothing) {
  const base::SystemClock clock;
  DryRunActuator dry_run({.clock = &clock, .hold = seconds{10}});
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();

  const Result<SignalReport> report = dry_run.begin(target, seconds{30}, kStart);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->method, SignalMethod::kDryRun);
  EXPECT_EQ(report->processes, 0U);
  EXPECT_EQ(dry_run.next_deadline(), kStart + seconds{30});
  dry_run.on_deadline(kStart + seconds{30});
  EXPECT_EQ(take_states(dry_run), (std::vector{kTerminating, kKilled}));
  dry_run.on_deadline(kStart + seconds{40});
  EXPECT_EQ(take_states(dry_run), std::vector{kReleased});

  EXPECT_TRUE(alive(process));
  EXPECT_EQ(pod_.pids_max(), "max");
  EXPECT_FALSE(target.pinned());
}

TEST_F(ProtectedPods, ADryRunThatWasEndedMayBeBegunWithAnewAtOnce) {
  const base::SystemClock clock;
  DryRunActuator dry_run({.clock = &clock});
  KillTarget& target = pod_.target();
  const Result<SignalReport> first = dry_run.begin(target, Duration{0}, kStart);
  ASSERT_TRUE(first);
  ASSERT_EQ(dry_run.begin(target, Duration{0}, kStart).error().code, Errc::kBusy);

  dry_run.end_pretended(first->ticket, kStart + seconds{1});

  EXPECT_EQ(take_states(dry_run), (std::vector{kKilled, kReleased}));
  EXPECT_FALSE(target.pinned());
  EXPECT_FALSE(dry_run.next_deadline());
  ASSERT_TRUE(dry_run.begin(target, Duration{0}, kStart + seconds{1}));
  dry_run.end_pretended(first->ticket, kStart + seconds{1});
  EXPECT_TRUE(target.pinned()) << "the ticket is of the first";
}

TEST_F(ProtectedPods, DryRunDoesNotCountAPodProtectedInGraceAsKilled) {
  const base::SystemClock clock;
  DryRunActuator dry_run({.clock = &clock});
  KillTarget& target = pod_.target();
  ASSERT_TRUE(dry_run.begin(target, seconds{30}, kStart));

  target.set_protection(Protection::kNeverEvict);
  dry_run.on_deadline(kStart + seconds{30});

  static_cast<void>(dry_run.take_progress());
  const std::optional<Progress> end = dry_run.take_progress();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, kExceededGrace);
  EXPECT_EQ(end->not_killed, "never_evict");
  EXPECT_EQ(dry_run.take_progress(), std::nullopt);
  EXPECT_FALSE(target.pinned());
  EXPECT_FALSE(dry_run.next_deadline());
  EXPECT_EQ(dry_run.counters().refused[static_cast<std::size_t>(Protection::kNeverEvict)], 1U);
}

TEST_F(ProtectedPods, ADryRunCutsNoGraceShortOfAPodThatBecameProtectedInIt) {
  const base::SystemClock clock;
  DryRunActuator dry_run({.clock = &clock});
  KillTarget& target = pod_.target();
  const Result<SignalReport> begun = dry_run.begin(target, seconds{30}, kStart);
  ASSERT_TRUE(begun);
  target.set_protection(Protection::kNeverEvict);

  const Result<SignalReport> cut = dry_run.cut_grace(begun->ticket, kStart, kStart);

  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Errc::kInvalid);
  dry_run.on_deadline(kStart);
  EXPECT_EQ(take_states(dry_run), (std::vector{kTerminating, kExceededGrace}));
}

TEST_F(ProtectedPods, ADryRunRefusesThemToo) {
  const base::SystemClock clock;
  DryRunActuator dry_run({.clock = &clock});
  KillTarget& target = pod_.target(Protection::kCritical);

  EXPECT_EQ(dry_run.begin(target, Duration{0}, kStart).error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace evictd::enforce::test
