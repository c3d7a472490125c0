// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_builder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "daemon/records/record_texts.h"
#include "recorded_pass.h"

namespace evictd::daemon {
namespace {

TEST_F(RecordedEviction, SaysWhoAndWhyAndWhen) {
  const auto record = make_record(done(), {.thresholds = thresholds_});
  EXPECT_EQ(record.ns, "test");
  EXPECT_EQ(record.name, "hog");
  EXPECT_EQ(record.uid, "uid-hog");
  EXPECT_EQ(record.trigger, "crossing");
  EXPECT_EQ(record.outcome, "evicted");
  EXPECT_EQ(record.signal, "memory.available");
  EXPECT_EQ(record.threshold, "100Mi");
  EXPECT_EQ(record.resource, "memory");
  EXPECT_EQ(record.available, (60_MiB).value);
  EXPECT_EQ(record.method, "cgroup.kill");
  EXPECT_EQ(record.processes, 2U);
  EXPECT_EQ(record.state, "killed");
  EXPECT_EQ(record.timeline.hook, kPassAt - std::chrono::microseconds(50));
  EXPECT_EQ(record.timeline.wake, std::nullopt) << "what did not happen has no stamp";
  EXPECT_EQ(record.ranking.size(), 1U);
}

TEST_F(RecordedEviction, SaysWhatBecameOfItsBridge) {
  PassDone begun = done(std::chrono::seconds(1));
  EXPECT_FALSE(make_record(begun, {.thresholds = thresholds_}).bridge) << "none was wanted";

  begun.begun->signals.bridge = {
      .state = enforce::BridgeState::kSet, .before = enforce::kNoHigh, .set = 902_MiB};
  const auto set = make_record(begun, {.thresholds = thresholds_});
  ASSERT_TRUE(set.bridge);
  EXPECT_EQ(set.bridge->before, std::nullopt);
  EXPECT_EQ(set.bridge->set, (902_MiB).value);
  EXPECT_EQ(set.bridge->not_set, "");

  begun.begun->signals.bridge = {.state = enforce::BridgeState::kNoFile, .before = {}, .set = {}};
  const auto not_set = make_record(begun, {.thresholds = thresholds_});
  ASSERT_TRUE(not_set.bridge);
  EXPECT_EQ(not_set.bridge->set, std::nullopt);
  EXPECT_EQ(not_set.bridge->not_set, "no_memory_high");
}

TEST_F(RecordedEviction, HasTheAnswersToAKillOfTheKernelSide) {
  EXPECT_FALSE(make_record(done(), {.thresholds = thresholds_}).kernel_kill);
  PassDone by_kernel = done();
  probe::BackstopFiring& firing = by_kernel.begun->kernel_kill.emplace();
  firing.at = kPassAt - std::chrono::microseconds(50);
  firing.answers = {{{.code = 0, .count = 3}, {.code = -1, .count = 1}}};
  firing.answer_count = 2;
  firing.left_out = 4;
  const auto record = make_record(by_kernel, {.thresholds = thresholds_});
  ASSERT_TRUE(record.kernel_kill);
  EXPECT_EQ(record.kernel_kill->at, firing.at);
  ASSERT_EQ(record.kernel_kill->answers.size(), 2U);
  EXPECT_EQ(record.kernel_kill->answers[0].count, 3);
  EXPECT_EQ(record.kernel_kill->answers[1].code, -1);
  EXPECT_EQ(record.kernel_kill->left_out, 4);
}

TEST_F(RecordedEviction, ListsEveryThresholdWithWhatWasSeenOfIt) {
  const auto record = make_record(done(), {.thresholds = thresholds_});
  ASSERT_EQ(record.thresholds.size(), 2U);
  EXPECT_TRUE(record.thresholds[0].met);
  EXPECT_EQ(record.thresholds[0].available, (60_MiB).value);
  EXPECT_EQ(record.thresholds[1].threshold, "10%");
  EXPECT_EQ(record.thresholds[0].hardness, "hard");
  EXPECT_EQ(record.thresholds[1].hardness, "soft");
  EXPECT_EQ(record.thresholds[1].grace_period_ms, 30'000);
  EXPECT_FALSE(record.thresholds[1].met);
  EXPECT_EQ(record.thresholds[1].available, std::nullopt);
}

TEST_F(RecordedEviction, AGraceBelowASecondIsToldWholeAndItsThresholdIsSoft) {
  eviction::Threshold brief = thresholds_[0];
  brief.grace_period = std::chrono::milliseconds(500);
  thresholds_ = eviction::ThresholdTable::create({brief}).value();
  const auto record = make_record(done(), {.thresholds = thresholds_});
  ASSERT_EQ(record.thresholds.size(), 1U);
  EXPECT_EQ(record.thresholds[0].hardness, "soft");
  EXPECT_EQ(record.thresholds[0].grace_period_ms, 500);
}

TEST_F(RecordedEviction, SaysHowFastTheSignalFellAndWhy) {
  const auto unknown = make_record(done(), {.thresholds = thresholds_});
  EXPECT_EQ(unknown.rate, std::nullopt);
  EXPECT_FALSE(unknown.because_of);
  add({.name = "calm"});
  copy_.pods[0].usage.rate_bytes_per_second = (90_MiB).value;
  copy_.observations[eviction::Signal::kMemoryAvailable]->rate = (100_MiB).value;
  const auto record = make_record(done(), {.thresholds = thresholds_});
  EXPECT_EQ(record.rate, (100_MiB).value);
  ASSERT_TRUE(record.because_of);
  EXPECT_EQ(record.because_of->uid, "uid-hog");
  EXPECT_EQ(record.because_of->rate, (90_MiB).value);
}

exporting::RecordedCollector ran(const std::string& name) {
  exporting::RecordedCollector one;
  one.collector = name;
  one.outcome = "failed";
  return one;
}

TEST_F(RecordedEviction, ResumedPassShowsCollectorsThatCanHelpItsSignal) {
  eviction::Threshold disk = thresholds_[0];
  disk.signal = eviction::Signal::kImageFsAvailable;
  thresholds_ = eviction::ThresholdTable::create({disk}).value();
  copy_.state.layout = eviction::DiskLayout{.dedicated_image_fs = true, .split_container_fs = true};
  copy_.resumed = true;
  copy_.decision.observations[disk.signal] = eviction::Observation{
      .available = (40_MiB).value, .capacity = (1000_MiB).value, .time = MonoTime{}};
  const RecordContext context{.thresholds = thresholds_,
                              .collectors = {ran("containers"), ran("images")}};
  const auto record = make_record(done(), context);
  ASSERT_TRUE(record.reclaim);
  EXPECT_EQ(record.reclaim->available_before, (40_MiB).value);
  ASSERT_EQ(record.reclaim->collectors.size(), 1U) << "dead containers are not there";
  EXPECT_EQ(record.reclaim->collectors[0].collector, "images");
  copy_.resumed = false;
  EXPECT_FALSE(make_record(done(), context).reclaim) << "it had not waited for them";
}

TEST_F(RecordedEviction, WithAGraceItIsTerminating) {
  EXPECT_EQ(make_record(done(std::chrono::seconds(5)), {.thresholds = thresholds_}).state,
            "terminating");
}

TEST_F(RecordedEviction, TheMomentOfTheKillIsTheStampOfTheSignal) {
  PassDone killed = done();
  killed.timeline.decide_at = kPassAt;
  killed.timeline.signal_at = kPassAt + std::chrono::microseconds(90);
  killed.begun->signals.signal = SIGKILL;
  killed.begun->signals.last_at = kPassAt + std::chrono::microseconds(80);
  EXPECT_EQ(make_record(killed, {.thresholds = thresholds_}).timeline.killed,
            kPassAt + std::chrono::microseconds(80));
}

TEST_F(RecordedEviction, ItsTimeIsThatOfTheDecisionHoweverLateTheRecordIsMade) {
  const WallTime today(std::chrono::hours(24 * 365 * 50));
  PassDone late = done();
  late.timeline.decide_at = kPassAt;
  const core::ClockReading now{.mono = kPassAt + std::chrono::seconds(4), .wall = today};
  EXPECT_EQ(make_record(late, {.thresholds = thresholds_, .now = now}).at,
            today - std::chrono::seconds(4));
}

TEST_F(RecordedEviction, SigtermIsNoKill) {
  PassDone told = done(std::chrono::seconds(5));
  told.begun->signals.signal = SIGTERM;
  told.begun->signals.last_at = kPassAt;
  EXPECT_EQ(make_record(told, {.thresholds = thresholds_}).timeline.killed, std::nullopt);
}

TEST_F(RecordedEviction, CarriesTheKubeletsWords) {
  cluster::PodEntry victim;
  victim.pod.name = "hog";
  victim.pod.ns = "test";
  const auto record = make_record(done(), {.thresholds = thresholds_, .victim = &victim});
  EXPECT_EQ(record.message.substr(0, 41), "The node was low on resource: memory. Thr");
  EXPECT_EQ(record.annotations.at("starved_resource"), "memory");
}

/// A container with that memory request, or none for an empty one.
eviction::Container requesting(const std::string& name, const std::string& request) {
  eviction::Container made;
  made.name = name;
  if (!request.empty()) {
    made.requests.emplace("memory", eviction::Quantity::parse(request).value());
  }
  return made;
}

TEST_F(RecordedEviction, NamesTheContainersThatUseMoreThanTheyRequest) {
  cluster::PodEntry victim;
  victim.pod.containers = {requesting("app", "100Mi"), requesting("log", "10Mi"),
                           requesting("cache", "")};
  const auto record =
      make_record(done(), {.thresholds = thresholds_,
                           .victim = &victim,
                           .containers = {{"app", 300_MiB, kPassAt - std::chrono::seconds(4)},
                                          {"log", 10_MiB, kPassAt - std::chrono::seconds(4)},
                                          {"cache", 1_MiB, kPassAt - std::chrono::seconds(3)}}});
  const std::string sentences =
      ". Container app was using 300Mi, request is 100Mi, has larger consumption of memory. "
      "Container cache was using 1Mi, request is 0, has larger consumption of memory. ";
  EXPECT_TRUE(record.message.ends_with(sentences)) << record.message;
  EXPECT_EQ(record.annotations.at("offending_containers"), "app,cache");
  EXPECT_EQ(record.annotations.at("offending_containers_usage"), "300Mi,1Mi");
  ASSERT_EQ(record.containers.size(), 3U) << "also the one that is within its request";
  EXPECT_EQ(record.containers[1].name, "log");
  EXPECT_EQ(record.containers[1].working_set_bytes, (10_MiB).value);
  EXPECT_EQ(record.containers[1].age_us, 4'000'000);
  EXPECT_EQ(record.pod_conditions.at(0).message, record.message);
}

TEST_F(RecordedEviction, NamesNoContainerThatIsNotKnownApart) {
  cluster::PodEntry victim;
  victim.pod.containers = {requesting("app", "100Mi")};
  const auto record = make_record(done(), {.thresholds = thresholds_, .victim = &victim});
  EXPECT_EQ(record.message.find("Container"), std::string::npos) << record.message;
  EXPECT_EQ(record.annotations.at("offending_containers"), "");
  EXPECT_TRUE(record.containers.empty());
}

TEST_F(RecordedEviction, NamesNoContainerForProcessIds) {
  cluster::PodEntry victim;
  victim.pod.containers = {requesting("app", "")};
  PassDone forks = done();
  forks.begun->threshold = 1;
  const auto record = make_record(
      forks,
      {.thresholds = thresholds_, .victim = &victim, .containers = {{"app", 300_MiB, kPassAt}}});
  EXPECT_EQ(record.resource, "pids");
  EXPECT_EQ(record.message.find("Container"), std::string::npos) << record.message;
  EXPECT_TRUE(record.containers.empty());
}

TEST_F(RecordedEviction, TellsWhatAKubeletWouldHaveToldTheCluster) {
  cluster::PodEntry victim;
  victim.pod.name = "hog";
  copy_.decision.threshold = 0;
  const auto record = make_record(done(), {.thresholds = thresholds_, .victim = &victim});
  ASSERT_EQ(record.events.size(), 2U);
  EXPECT_EQ(record.events[0].on, "node");
  EXPECT_EQ(record.events[0].reason, "EvictionThresholdMet");
  EXPECT_EQ(record.events[0].message, "Attempting to reclaim memory");
  EXPECT_EQ(record.events[1].on, "pod");
  EXPECT_EQ(record.events[1].reason, "Evicted");
  EXPECT_EQ(record.events[1].message, record.message);
  ASSERT_EQ(record.pod_conditions.size(), 1U);
  EXPECT_EQ(record.pod_conditions[0].type, "DisruptionTarget");
  EXPECT_EQ(record.pod_conditions[0].reason, "TerminationByKubelet");
  EXPECT_EQ(record.pod_conditions[0].message, record.message);
}

TEST_F(RecordedEviction, AKubeletTellsOnceOfAThresholdForWhichCollectorsRan) {
  const auto told = [this](eviction::Outcome outcome, bool resumed, bool told_before = true) {
    copy_.decision.threshold = 0;
    copy_.decision.outcome = outcome;
    copy_.resumed = resumed;
    PassDone pass = done();
    pass.begun.reset();
    return make_record(pass, {.thresholds = thresholds_, .threshold_told = told_before})
        .events.size();
  };
  EXPECT_EQ(told(eviction::Outcome::kReclaiming, false), 1U);
  EXPECT_EQ(told(eviction::Outcome::kHeld, false), 0U) << "a kubelet makes no pass meanwhile";
  EXPECT_EQ(told(eviction::Outcome::kReclaimed, true), 0U);
  EXPECT_EQ(told(eviction::Outcome::kReclaimed, true, false), 1U)
      << "the pass that had them run left no copy";
  EXPECT_EQ(told(eviction::Outcome::kNoCandidates, false), 1U);
}

TEST_F(RecordedEviction, AKubeletKnowsOfNoEscalation) {
  cluster::PodEntry victim;
  PassDone escalated = done();
  escalated.begun->escalated = true;
  const auto record = make_record(escalated, {.thresholds = thresholds_, .victim = &victim});
  EXPECT_TRUE(record.pod_conditions.empty());
}

TEST_F(RecordedEviction, WithoutACopyKeepsTheVictimAndTheMoments) {
  PassDone lean = done();
  lean.copy.reset();
  const auto record = make_record(lean, {.thresholds = thresholds_});
  EXPECT_EQ(record.name, "hog");
  EXPECT_EQ(record.timeline.observe, kPassAt);
  EXPECT_TRUE(record.ranking.empty());
  EXPECT_TRUE(record.message.empty());
}

TEST_F(RecordedEviction, ObservationsCarryAgeSourceAndErrorBound) {
  copy_.observations[eviction::Signal::kMemoryAvailable]->time =
      kPassAt - std::chrono::microseconds(30);
  copy_.node.source = UsageSource::kBpfTable;
  const auto record = make_record(done(), {.thresholds = thresholds_});
  ASSERT_EQ(record.observations.size(), 1U);
  EXPECT_EQ(record.observations[0].age_us, 30);
  EXPECT_EQ(record.observations[0].source, "bpf");
  EXPECT_GT(record.observations[0].error_bound, 0) << "the kernel charges ahead";
}

TEST_F(RecordedEviction, AThresholdSaysHowItStood) {
  copy_.decision.past_grace.add(0);
  copy_.decision.threshold = 0;
  copy_.decision.victim = 0;
  const auto record = make_record(done(), {.thresholds = thresholds_});
  EXPECT_EQ(record.thresholds[0].stood, "acted_on");
  EXPECT_EQ(record.thresholds[0].met_below, (100_MiB).value);
  EXPECT_EQ(record.thresholds[1].stood, "not_observed");
}

TEST_F(RecordedEviction, APassThatEvictedNobodySaysWhyAndWhoWouldHaveGone) {
  PassDone quiet = done();
  quiet.begun.reset();
  quiet.copy->decision.outcome = eviction::Outcome::kHeld;
  quiet.copy->decision.reason = eviction::Reason::kReleasePending;
  const auto record = make_record(quiet, {.thresholds = thresholds_});
  EXPECT_EQ(record.outcome, "held");
  EXPECT_EQ(record.hold_reason, "release_pending");
  EXPECT_FALSE(record.has_victim());
  EXPECT_EQ(record.signal, "memory.available");
  ASSERT_EQ(record.ranking.size(), 1U);
  EXPECT_EQ(record.ranking[0].reason,
            "would go first, but nobody was evicted: held (release_pending)");
}

TEST_F(RecordedEviction, PassWithNothingMetShowsMemorySourceAndEvictions) {
  PassDone quiet = done();
  quiet.begun.reset();
  quiet.timeline.decide_at = kPassAt;
  quiet.copy->decision = {};
  quiet.copy->memory = {
      .source = eviction::MemorySource::kMemAvailable, .swap_aware = true, .hugepage_aware = true};
  quiet.copy->eviction_times.add(kPassAt - std::chrono::seconds(59), /*dry_run=*/false);
  const auto record = make_record(quiet, {.thresholds = thresholds_});
  EXPECT_EQ(record.outcome, "nothing_met");
  EXPECT_EQ(record.memory_available_source, "memAvailable");
  EXPECT_TRUE(record.swap_aware);
  EXPECT_TRUE(record.hugepage_aware);
  EXPECT_EQ(record.evictions_last_minute, 1U);
}

TEST_F(RecordedEviction, AnEscalationIsCalledThat) {
  PassDone escalated = done();
  escalated.begun->escalated = true;
  EXPECT_EQ(make_record(escalated, {.thresholds = thresholds_}).outcome, "escalated");
}

TEST(StepText, TheEndOfADryRunIsNobodysEnd) {
  EvictionStep step;
  step.progress.state = enforce::EvictionState::kReleased;
  EXPECT_EQ(step_text(step), "evicted pod is gone");
  step.dry_run = true;
  EXPECT_EQ(step_text(step), "");
  step.progress.state = enforce::EvictionState::kExceededGrace;
  EXPECT_EQ(step_text(step), "");
  step.dry_run = false;
  EXPECT_TRUE(step_text(step).starts_with("ExceededGracePeriod: an evicted pod is not gone"));
}

TEST(StepText, WhyAVictimWasNotKilledAtTheEndOfItsGraceIsSaid) {
  EvictionStep step;
  step.progress.state = enforce::EvictionState::kExceededGrace;
  step.progress.not_killed = "never_evict";
  EXPECT_EQ(step_text(step),
            "the grace of an evicted pod is over and SIGKILL was not sent: neverEvict names it "
            "now, continuing without waiting for it");
  step.dry_run = true;
  EXPECT_EQ(step_text(step),
            "the grace of a pod named by a dry run is over and SIGKILL would not have been sent: "
            "neverEvict names it now, continuing without waiting for it");
}

}  // namespace
}  // namespace evictd::daemon
