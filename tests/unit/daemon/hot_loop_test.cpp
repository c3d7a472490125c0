// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/hot_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "driven_hot_loop.h"

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using HotLoopWithoutBpf = DrivenHotLoop;

TEST_F(HotLoopWithoutBpf, TheFirstPassKnowsThePodsThatWereHandedOver) {
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "a", 10_MiB)});
  send(PlacePod{.slot = 2, .pod = node_.pod(2, "b", 20_MiB)});
  start();
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->trigger, PassTrigger::kRequest);
  EXPECT_EQ(done->copy->decision.outcome, eviction::Outcome::kNothingMet);
  ASSERT_EQ(done->copy->pods.size(), 2U);
  EXPECT_EQ(done->copy->pods[0].pod->uid, "b");
  EXPECT_EQ(done->copy->pods[0].usage.usage, 20_MiB);
  EXPECT_EQ(done->copy->node.memory_total, 1000_MiB);
  EXPECT_FALSE(done->begun);
}

TEST_F(HotLoopWithoutBpf, RunsAPassOfTheRegularCadenceWhenTheIntervalIsOver) {
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(9));
  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  // A requested pass is a regular one to the kubelet's rules, so the interval begins anew.
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRegular);
}

class HotLoopThatPollsTasks : public DrivenHotLoop {
 protected:
  HotLoopThatPollsTasks()
      : DrivenHotLoop(
            "adaptivePolling: {enabled: true}\nevictionHard:\n  pid.available: \"100\"\n") {
    node_.set_max_pid(5000);
    node_.set_tasks(94);
  }
};

TEST_F(HotLoopThatPollsTasks, LooksSoonerTheNearerTheThreshold) {
  start();
  ASSERT_TRUE(next<PassDone>());
  // 4806 tasks are left: 2.4 s at 1000 tasks a second.
  clock_.advance(seconds(2));
  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  node_.set_max_pid(1000);
  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  // 806 are left.
  clock_.advance(milliseconds(300));
  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  clock_.advance(milliseconds(500));
  inbox_.wake_up.signal();
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRegular);
}

TEST_F(HotLoopThatPollsTasks, LooksSoonerTheFasterTheyGrow) {
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(1));
  node_.set_tasks(2094);
  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  // 2806 are left: 0.7 s at 2000 a second, 1.4 s at 1000.
  clock_.advance(milliseconds(900));
  inbox_.wake_up.signal();
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRegular);
}

class HotLoopThatPollsMemory : public DrivenHotLoop {
 protected:
  HotLoopThatPollsMemory() : DrivenHotLoop("adaptivePolling: {enabled: true}\n" + hard("100Mi")) {}
};

TEST_F(HotLoopThatPollsMemory, LooksSoonerTheFasterTheNodesMemoryGrows) {
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(1));
  node_.set_memory(600_MiB);
  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  // 300 MiB are left: 0.3 s at 500 MiB a second, 0.59 s at 256.
  clock_.advance(milliseconds(400));
  inbox_.wake_up.signal();
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRegular);
}

TEST_F(HotLoopWithoutBpf, AVictimThatIsNotThereIsPassedOverForTheNextOneAtOnce) {
  node_.set_memory(950_MiB);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "small", 10_MiB)});
  send(PlacePod{.slot = 2, .pod = node_.pod(2, "hog", 20_MiB)});
  start();
  const auto first = next<EvictionRefused>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->victim->uid, "hog");
  EXPECT_EQ(first->code, Errc::kNotFound);
  const auto second = next<EvictionRefused>();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->victim->uid, "small");
  ASSERT_TRUE(next<PassDone>());
  const auto last = next<PassDone>();
  ASSERT_TRUE(last && last->copy);
  EXPECT_EQ(last->copy->decision.outcome, eviction::Outcome::kAllProtected);
  for (const PassCopy::PodCopy& pod : last->copy->pods) {
    EXPECT_EQ(pod.pass.standing, eviction::Standing::kRefused) << pod.pod->uid;
  }
  EXPECT_FALSE(last->begun);
  EXPECT_EQ(counters_.not_begun.load(), 2U);
  EXPECT_EQ(counters_.evictions.load(), 0U);
}

TEST_F(HotLoopWithoutBpf, ARefusedVictimIsTriedAgainAtTheRegularCadence) {
  node_.set_memory(950_MiB);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "hog", 20_MiB)});
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  // The refused pass and the one that follows it at once: only then is the next one 10 s away.
  ASSERT_TRUE(next<PassDone>());
  const auto passed_over = next<PassDone>();
  ASSERT_TRUE(passed_over && passed_over->copy);
  ASSERT_EQ(passed_over->copy->decision.outcome, eviction::Outcome::kAllProtected);
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  const auto again = next<EvictionRefused>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->victim->uid, "hog");
}

TEST_F(HotLoopWithoutBpf, ARefusedVictimWithoutATaskIsLeftAtTheRegularCadence) {
  node_.set_memory(950_MiB);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "left", 20_MiB)});
  node_.set_tasks("left", 0);
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  ASSERT_TRUE(next<PassDone>());
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  const auto regular = next<PassDone>();
  ASSERT_TRUE(regular && regular->copy);
  EXPECT_EQ(regular->trigger, PassTrigger::kRegular);
  EXPECT_EQ(regular->copy->decision.outcome, eviction::Outcome::kAllProtected);
  EXPECT_EQ(counters_.not_begun.load(), 1U);
}

TEST_F(HotLoopWithoutBpf, PodWithoutTargetCausesNoPassAfterNoCandidates) {
  node_.set_memory(950_MiB);
  start();
  const auto nobody = next<PassDone>();
  ASSERT_TRUE(nobody && nobody->copy);
  ASSERT_EQ(nobody->copy->decision.outcome, eviction::Outcome::kNoCandidates);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "late", 20_MiB)});
  // Two answers in a row: whatever the first one caused has been done by the second.
  for (int i = 0; i < 2; ++i) {
    send(PlacePod{.slot = 2, .pod = nullptr});
    ASSERT_TRUE(next<RetirePod>());
  }
  EXPECT_EQ(counters_.not_begun.load(), 0U);
  EXPECT_EQ(counters_.passes[static_cast<std::size_t>(PassTrigger::kRequest)].load(), 1U);
}

TEST_F(HotLoopWithoutBpf, APodThatIsToldOfAgainCausesNoPass) {
  node_.set_memory(950_MiB);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "hog", 20_MiB)});
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  ASSERT_TRUE(next<PassDone>());
  const auto passed_over = next<PassDone>();
  ASSERT_TRUE(passed_over && passed_over->copy);
  ASSERT_EQ(passed_over->copy->decision.outcome, eviction::Outcome::kAllProtected);
  std::unique_ptr<HotPod> spared = node_.pod(2, "spared", 20_MiB);
  spared->protection = enforce::Protection::kStatic;
  send(PlacePod{.slot = 2, .pod = std::move(spared)});
  // Two answers in a row: whatever the first one caused has been done by the second.
  for (int i = 0; i < 2; ++i) {
    send(PlacePod{.slot = 1, .pod = node_.pod(1, "hog", 20_MiB)});
    ASSERT_TRUE(next<RetirePod>());
  }
  EXPECT_EQ(counters_.passes[static_cast<std::size_t>(PassTrigger::kRequest)].load(), 2U);
}

TEST_F(HotLoopWithoutBpf, APodThatIsFoundWhileNothingIsMetCausesNoPass) {
  start();
  ASSERT_TRUE(next<PassDone>());
  for (int i = 0; i < 3; ++i) {
    send(PlacePod{.slot = 1, .pod = node_.pod(1, "new", 20_MiB)});
    send(PlacePod{.slot = 1, .pod = nullptr});
    ASSERT_TRUE(next<RetirePod>());
  }
  EXPECT_EQ(counters_.passes[static_cast<std::size_t>(PassTrigger::kRequest)].load(), 1U);
}

TEST_F(HotLoopWithoutBpf, GivesBackWhatWasInASlot) {
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "first", 10_MiB)});
  start();
  ASSERT_TRUE(next<PassDone>());
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "second", 10_MiB)});
  const auto replaced = next<RetirePod>();
  ASSERT_TRUE(replaced && replaced->pod);
  EXPECT_TRUE(replaced->replaced);
  EXPECT_EQ(replaced->pod->uid, "first");
  send(PlacePod{.slot = 1, .pod = nullptr});
  const auto emptied = next<RetirePod>();
  ASSERT_TRUE(emptied && emptied->pod);
  EXPECT_FALSE(emptied->replaced);
  EXPECT_EQ(emptied->pod->uid, "second");
}

TEST_F(HotLoopWithoutBpf, AnotherConfigurationIsInForceFromTheNextPassOn) {
  start();
  ASSERT_TRUE(next<PassDone>());
  send(UseConfig{config(hard("950Mi"))});
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->trigger, PassTrigger::kRegular);
  EXPECT_EQ(done->copy->decision.outcome, eviction::Outcome::kNoCandidates);
}

TEST_F(HotLoopWithoutBpf, VictimsDiskIsAwaitedWithoutCgroupAndByNextEvictd) {
  std::unique_ptr<HotPod> placed = node_.pod(1, "a", 10_MiB);
  const CgroupId there = placed->memory_id;
  const CgroupId vanished{.hierarchy = there.hierarchy, .id = there.id + 1000};
  const Adoption adoption{.kind = AdoptionKind::kGone, .killed_at = clock_.now(), .for_disk = true};
  send(PlacePod{.slot = 1, .pod = std::move(placed)});
  send(AdoptEviction{.pod = there, .adoption = adoption});
  send(AdoptEviction{.pod = vanished, .adoption = adoption});
  start();
  const auto first = next<PassDone>();
  ASSERT_TRUE(first && first->copy);
  EXPECT_EQ(first->copy->releasing.size(), 2U);

  send(PlacePod{.slot = 1, .pod = nullptr});
  ASSERT_TRUE(next<RetirePod>());
  send(engine::PassRequested{});
  const auto second = next<PassDone>();
  ASSERT_TRUE(second && second->copy);
  ASSERT_EQ(second->copy->releasing.size(), 2U);
  for (const eviction::ReleasingPod& one : second->copy->releasing) {
    EXPECT_GT(one.disk.value, 0) << "however little it was measured with";
    EXPECT_EQ(one.killed_at, adoption.killed_at);
  }

  clock_.advance(seconds(30));
  send(engine::PassRequested{});
  const auto last = next_pass_since(adoption.killed_at + seconds(30));
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->copy->releasing.empty());
}

TEST_F(HotLoopWithoutBpf, VictimWithAReusedCgroupCanBeChosenAfterItsRelease) {
  node_.set_memory(950_MiB);
  std::unique_ptr<HotPod> placed = node_.pod(1, "again", 20_MiB);
  const CgroupId cgroup = placed->memory_id;
  send(PlacePod{.slot = 1, .pod = std::move(placed)});
  send(AdoptEviction{
      .pod = cgroup,
      .adoption = {.kind = AdoptionKind::kGone, .killed_at = clock_.now(), .for_disk = true}});
  start();
  ASSERT_TRUE(next<PassDone>());
  EXPECT_EQ(counters_.not_begun.load(), 0U) << "it is awaited";
  clock_.advance(seconds(30));
  inbox_.wake_up.signal();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  const auto again = next<EvictionRefused>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->victim->uid, "again");
}

/// A victim that is released in all but one zombie.
class HotLoopWithAReleasedVictim : public DrivenHotLoop {
 protected:
  static constexpr std::uint32_t kSlot = 1;

  std::unique_ptr<HotPod> victim(cluster::PodState state) {
    std::unique_ptr<HotPod> pod = node_.pod(kSlot, "again", 20_MiB);
    node_.set_tasks("again", 1);
    pod->state = state;
    return pod;
  }
  void start_with_victim(bool for_disk) {
    std::unique_ptr<HotPod> pod = victim(cluster::PodState::kActive);
    const CgroupId cgroup = pod->memory_id;
    send(PlacePod{.slot = kSlot, .pod = std::move(pod)});
    send(
        AdoptEviction{.pod = cgroup,
                      .adoption = {.kind = for_disk ? AdoptionKind::kGone : AdoptionKind::kUnreaped,
                                   .killed_at = clock_.now(),
                                   .for_disk = for_disk}});
    start();
    ASSERT_TRUE(next<PassDone>());
    EXPECT_EQ(counters_.not_begun.load(), 0U) << "what is left of it was chosen";
  }
  void empty_and_populate() {
    for (const cluster::PodState state : {cluster::PodState::kEmpty, cluster::PodState::kActive}) {
      send(PlacePod{.slot = kSlot, .pod = victim(state)});
      ASSERT_TRUE(next<RetirePod>());
    }
  }
};

TEST_F(HotLoopWithAReleasedVictim, CanBeChosenAgainWithProcessesDespiteItsZombie) {
  node_.set_memory(950_MiB);
  start_with_victim(/*for_disk=*/false);
  empty_and_populate();
  send(engine::PassRequested{});
  const auto again = next<EvictionRefused>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->victim->uid, "again");
}

TEST_F(HotLoopWithAReleasedVictim, CanBeChosenAgainOnceItHasMoreTasksThanItLeft) {
  node_.set_memory(950_MiB);
  start_with_victim(/*for_disk=*/false);
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_EQ(counters_.not_begun.load(), 0U);
  node_.set_tasks("again", 2);
  send(engine::PassRequested{});
  const auto again = next<EvictionRefused>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->victim->uid, "again");
}

TEST_F(HotLoopWithAReleasedVictim, IsLeftAloneIfEmptyWithAZombieAfterItsRelease) {
  node_.set_memory(950_MiB);
  start_with_victim(/*for_disk=*/false);
  clock_.advance(seconds(31));
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  std::unique_ptr<HotPod> empty = victim(cluster::PodState::kEmpty);
  CgroupUsage zombie;
  zombie.usage = 20_MiB;
  zombie.tasks = 1;
  empty->remains.note(zombie);
  send(PlacePod{.slot = kSlot, .pod = std::move(empty)});
  ASSERT_TRUE(next<RetirePod>());
  for (int i = 0; i < 3; ++i) {
    clock_.advance(seconds(10));
    inbox_.wake_up.signal();
    ASSERT_TRUE(next<PassDone>());
  }
  EXPECT_EQ(counters_.not_begun.load(), 0U);
}

TEST_F(HotLoopWithAReleasedVictim, TakesPartWithNewProcessesWhileTheDiskOfTheOldIsAwaited) {
  start_with_victim(/*for_disk=*/true);
  empty_and_populate();
  send(engine::PassRequested{});
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  ASSERT_EQ(done->copy->pods.size(), 1U);
  EXPECT_EQ(done->copy->pods[0].pass.standing, eviction::Standing::kActive);
  ASSERT_EQ(done->copy->releasing.size(), 1U);
  EXPECT_GT(done->copy->releasing[0].disk.value, 0);
  EXPECT_EQ(done->copy->releasing[0].tasks, 0) << "they are not the victim's";

  clock_.advance(seconds(30));
  send(engine::PassRequested{});
  const auto later = next<PassDone>();
  ASSERT_TRUE(later && later->copy);
  EXPECT_TRUE(later->copy->releasing.empty());
  ASSERT_EQ(later->copy->pods.size(), 1U);
  EXPECT_EQ(later->copy->pods[0].pass.standing, eviction::Standing::kActive);
}

TEST_F(HotLoopWithoutBpf, PassesWithoutEvictionLeaveTwoBuffersAndReportLater) {
  start();
  std::deque<std::unique_ptr<PassCopy>> kept;
  for (int i = 0; i < 6; ++i) {
    auto done = next<PassDone>();
    ASSERT_TRUE(done && done->copy);
    kept.push_back(std::move(done->copy));
    send(engine::PassRequested{});
  }
  // Two answers in a row: between them the pass that was asked for has been run.
  for (int i = 0; i < 2; ++i) {
    send(PlacePod{.slot = 1, .pod = nullptr});
    ASSERT_TRUE(next<RetirePod>());
  }
  EXPECT_EQ(counters_.uncopied_passes.load(), 1U);
  send(LendPassCopy{std::move(kept.front())});
  const auto done = next<PassDone>();
  ASSERT_TRUE(done) << "what the pass without a copy found is told once there is one";
  ASSERT_NE(done->copy, nullptr);
  EXPECT_EQ(done->copy->missed, 1U);
  EXPECT_EQ(done->trigger, PassTrigger::kReport);
  EXPECT_EQ(done->copy->cadence, eviction::Cadence::kEventOnly) << "it resets no grace";
}

TEST_F(HotLoopWithoutBpf, NewRootsGoToTheActuatorAndThoseBeforeComeBack) {
  const std::vector<CgroupId> first{{.hierarchy = 4, .id = 10}};
  const std::vector<CgroupId> second{{.hierarchy = 4, .id = 20}, {.hierarchy = 8, .id = 30}};
  std::vector<std::vector<CgroupId>> returned;
  start();
  send(UseRoots{lend(first, returned)});
  await_returned(returned, 1);
  EXPECT_TRUE(returned.back().empty());
  EXPECT_EQ(actuator_.roots(), first);

  send(UseRoots{lend(second, returned)});
  await_returned(returned, 2);
  EXPECT_EQ(returned.back(), first);
  EXPECT_EQ(actuator_.roots(), second);
}

TEST_F(HotLoopWithoutBpf, OtherFilesOfThePodRootAreReadFromTheNextPassOn) {
  node_.set_usage("", 200_MiB);
  const auto other = node_.pod(1, "other", 50_MiB);
  start();
  EXPECT_EQ(next<PassDone>()->copy->pod_root.usage, 200_MiB);
  std::vector<sys::CgroupFiles> returned;
  send(UsePodRootFiles{lend(node_.files_without_tasks("other"), returned)});
  await_returned(returned, 1);
  sys::ReadBuffer buffer{};
  CgroupUsage usage;
  ASSERT_EQ(returned.back().read_live(MonoTime{}, buffer, usage), sys::ReadState::kRead);
  EXPECT_EQ(usage.usage, 200_MiB);

  send(engine::PassRequested{});
  EXPECT_EQ(next<PassDone>()->copy->pod_root.usage, 50_MiB);
}

TEST_F(HotLoopWithoutBpf, WhatAFullQueueDoesNotTakeIsCountedAndToldLater) {
  for (std::size_t i = 0; i < kQueue; ++i) {
    ASSERT_TRUE(outbox_.queue.push(KernelNotice{}));
  }
  start();
  wait_for_lost_messages();
  drop_what_filled_the_queue();
  send(engine::PassRequested{});
  EXPECT_NE(next<PassDone>()->copy, nullptr);
  EXPECT_EQ(next<LossNotice>()->lost, 1U);
}

TEST_F(HotLoopWithoutBpf, APodIsNeverLostToAFullQueue) {
  for (std::size_t i = 0; i < kQueue; ++i) {
    ASSERT_TRUE(outbox_.queue.push(KernelNotice{}));
  }
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "first", 10_MiB)});
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "second", 10_MiB)});
  start();
  wait_for_lost_messages();
  drop_what_filled_the_queue();
  inbox_.wake_up.signal();
  const auto retired = next<RetirePod>();
  ASSERT_TRUE(retired && retired->pod);
  EXPECT_EQ(retired->pod->uid, "first");
}

class HotLoopWithEvents : public DrivenHotLoop {
 protected:
  HotLoopWithEvents() : DrivenHotLoop(hard("100Mi"), PodEvents::kTold, Besides::kHints) {}
};

TEST_F(HotLoopWithEvents, ANoticeHasItsTextCutAtTheEnd) {
  const std::string path = "/" + std::string(KernelNotice{}.text.size(), 'x');
  start();
  ring_.tell_filled({.id = 7}, path);
  const auto notice = next<KernelNotice>();
  ASSERT_TRUE(notice && std::holds_alternative<probe::CgroupChanged>(notice->event));
  EXPECT_EQ(std::get<probe::CgroupChanged>(notice->event).cgroup.id, 7U);
  EXPECT_EQ(std::string(notice->text.begin(), notice->text.end()), path.substr(0, path.size() - 1));
}

}  // namespace
}  // namespace evictd::daemon
