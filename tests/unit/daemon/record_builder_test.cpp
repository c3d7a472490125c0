// SPDX-License-Identifier: Apache-2.0
#include "daemon/record_builder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <list>
#include <string>

namespace evictd::daemon {
namespace {

constexpr MonoTime kPassAt{std::chrono::seconds(100)};

/// A pass over pods that a test adds.
class RecordedPass : public testing::Test {
 protected:
  struct Added {
    std::string name;
    Bytes usage{0};
    Bytes request{0};
    std::int32_t priority = 0;
    std::int64_t tasks = 1;
  };

  HotPod& add(const Added& added) {
    HotPod& pod = pods_.emplace_back();
    pod.uid = "uid-" + added.name;
    pod.ns = "test";
    pod.name = added.name;
    pod.facts.priority = added.priority;
    pod.facts.memory_request_nanos = eviction::Wide{added.request.value} * 1'000'000'000;
    PassCopy::PodCopy copy;
    copy.pod = &pod;
    copy.pass.facts = &pod.facts;
    copy.pass.reading = {.state = eviction::ReadingState::kRead,
                         .working_set_bytes = added.usage.value,
                         .processes = added.tasks,
                         .disk = {}};
    copy.usage.usage = added.usage;
    copy.usage.read_at = kPassAt - std::chrono::microseconds(7);
    copy_.pods.push_back(copy);
    return pod;
  }
  [[nodiscard]] std::vector<exporting::RecordedCandidate> ranking(
      eviction::Signal signal = eviction::Signal::kMemoryAvailable) const {
    return make_ranking(copy_, signal, kPassAt);
  }

  std::list<HotPod> pods_;
  PassCopy copy_;
};

TEST_F(RecordedPass, EveryCandidateHasItsPlaceAndItsReason) {
  add({.name = "within", .usage = 50_MiB, .request = 100_MiB});
  add({.name = "important", .usage = 90_MiB, .request = 1_MiB, .priority = 10});
  add({.name = "small", .usage = 10_MiB});
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  ASSERT_EQ(ranked.size(), 4U);
  EXPECT_EQ(ranked[0].name, "hog");
  EXPECT_EQ(ranked[0].place, 1U);
  EXPECT_EQ(ranked[0].passed_over, "");
  EXPECT_EQ(ranked[0].reason, "chosen: first in the ranking of pods that may be evicted");
  EXPECT_EQ(ranked[1].name, "small");
  EXPECT_EQ(ranked[1].passed_over, "ranks_later");
  EXPECT_EQ(ranked[1].reason, "ranks later: uses less above its request");
  EXPECT_EQ(ranked[2].name, "important");
  EXPECT_EQ(ranked[2].reason, "ranks later: priority 10 is above 0");
  EXPECT_EQ(ranked[3].name, "within");
  EXPECT_EQ(ranked[3].place, 4U);
  EXPECT_FALSE(ranked[3].exceeds_request);
  EXPECT_EQ(ranked[3].reason, "ranks later: uses no more than it requests");
}

TEST_F(RecordedPass, ProtectedPodsAreRankedAndPassedOver) {
  HotPod& fixed = add({.name = "static", .usage = 90_MiB});
  fixed.facts.is_static = true;
  fixed.facts.is_critical = true;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].name, "static");
  EXPECT_EQ(ranked[0].place, 1U);
  EXPECT_EQ(ranked[0].passed_over, "static");
  EXPECT_EQ(ranked[0].reason, "protected: static pod");
  EXPECT_EQ(ranked[1].passed_over, "");
}

TEST_F(RecordedPass, WhatNoSourceOfPodsKnowsIsListedLastWithoutAPlace) {
  add({.name = "nameless", .usage = 90_MiB});
  copy_.pods[0].pass.standing = eviction::Standing::kUnknown;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].name, "hog");
  EXPECT_EQ(ranked[0].place, 1U);
  EXPECT_EQ(ranked[1].place, 0U);
  EXPECT_EQ(ranked[1].passed_over, "unknown");
  EXPECT_EQ(ranked[1].reason, "protected: no source of pods knows this cgroup");
}

TEST_F(RecordedPass, APodThatHoldsEvictdItselfIsSaidToBeThat) {
  add({.name = "us", .usage = 90_MiB}).protection = enforce::Protection::kOwnProcess;
  copy_.pods[0].pass.standing = eviction::Standing::kUnknown;
  EXPECT_EQ(ranking()[0].reason, "protected: own process");
}

TEST_F(RecordedPass, APodThatWasNotReadComesLastWithoutAPlace) {
  add({.name = "unread"});
  copy_.pods[0].pass.reading.state = eviction::ReadingState::kNotReadYet;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[1].name, "unread");
  EXPECT_EQ(ranked[1].place, 0U);
  EXPECT_EQ(ranked[1].reason, "waited for: its statistics were not read yet");
}

TEST_F(RecordedPass, ProcessesDecideAboutProcessIds) {
  add({.name = "big", .usage = 500_MiB, .tasks = 3});
  add({.name = "bomb", .usage = 1_MiB, .tasks = 700});
  const auto ranked = ranking(eviction::Signal::kPidAvailable);
  EXPECT_EQ(ranked[0].name, "bomb");
  EXPECT_EQ(ranked[0].usage, 700);
  EXPECT_EQ(ranked[1].reason, "ranks later: fewer processes");
}

TEST_F(RecordedPass, AReadingCarriesItsAgeAndSource) {
  add({.name = "hog", .usage = 80_MiB, .request = 20_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].reading_age_us, 7);
  EXPECT_EQ(ranked[0].source, "files");
  EXPECT_EQ(ranked[0].usage, (80_MiB).value);
  EXPECT_EQ(ranked[0].request, (20_MiB).value);
  EXPECT_TRUE(ranked[0].exceeds_request);
}

/// An eviction of the pod "hog" for memory.
class RecordedEviction : public RecordedPass {
 protected:
  RecordedEviction() {
    eviction::Threshold hard;
    hard.signal = eviction::Signal::kMemoryAvailable;
    hard.value.quantity = eviction::Quantity((100_MiB).value, eviction::QuantityFormat::kBinarySI);
    eviction::Threshold unseen;
    unseen.signal = eviction::Signal::kPidAvailable;
    unseen.value.percentage = 0.1F;
    unseen.grace_period = std::chrono::seconds(30);
    thresholds_ = eviction::ThresholdTable::create({hard, unseen}).value();
    hog_ = &add({.name = "hog", .usage = 900_MiB});
    copy_.observations[eviction::Signal::kMemoryAvailable] = eviction::Observation{
        .available = (60_MiB).value, .capacity = (1000_MiB).value, .time = kPassAt};
    copy_.decision.met.add(0);
    copy_.decision.actionable.add(0);
  }

  [[nodiscard]] PassDone done(std::chrono::seconds grace = std::chrono::seconds(0)) const {
    PassDone made;
    made.trigger = PassTrigger::kCrossing;
    made.timeline.hook_at = kPassAt - std::chrono::microseconds(50);
    made.timeline.observe_at = kPassAt;
    EvictionBegun begun;
    begun.victim = hog_;
    begun.signals.method = enforce::SignalMethod::kCgroupKill;
    begun.signals.processes = 2;
    begun.grace = grace;
    made.begun = begun;
    made.copy = std::make_unique<PassCopy>(copy_);
    return made;
  }

  eviction::ThresholdTable thresholds_;
  HotPod* hog_ = nullptr;
};

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

TEST_F(RecordedEviction, ListsEveryThresholdWithWhatWasSeenOfIt) {
  const auto record = make_record(done(), {.thresholds = thresholds_});
  ASSERT_EQ(record.thresholds.size(), 2U);
  EXPECT_TRUE(record.thresholds[0].met);
  EXPECT_EQ(record.thresholds[0].available, (60_MiB).value);
  EXPECT_EQ(record.thresholds[1].threshold, "10%");
  EXPECT_EQ(record.thresholds[1].grace_period_seconds, 30);
  EXPECT_FALSE(record.thresholds[1].met);
  EXPECT_EQ(record.thresholds[1].available, std::nullopt);
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

TEST_F(RecordedEviction, APassThatMetNothingSaysHowMemoryWasWorkedOutAndWhatWasEvictedBefore) {
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

/// An eviction of the pod "hog", whose volume "data" is larger than its limit.
class RecordedLocalEviction : public RecordedEviction {
 protected:
  RecordedLocalEviction() {
    eviction::Volume& volume = storage_.description.volumes.emplace_back();
    volume.name = "data";
    volume.empty_dir.emplace().size_limit = eviction::Quantity::parse("4Mi").value();
    storage_.statistics.volumes.push_back(
        {.name = "data", .use = {.bytes = (9_MiB).value, .inodes = 3}});
    storage_.measured_at = kPassAt - std::chrono::microseconds(120);
    storage_.method = disk::StorageMethod::kWalk;
    storage_.breaches = true;
    copy_.memory.swap_aware = true;
    begun_.victim = hog_;
    begun_.storage = &storage_;
    begun_.breach = {.limit = eviction::LocalLimit::kEmptyDir, .place = 0};
    begun_.grace = std::chrono::seconds(1);
    begun_.timeline.observe_at = kPassAt;
    begun_.evictions_last_minute = 1;
  }

  HotStorage storage_;
  LocalEvictionBegun begun_;
};

TEST_F(RecordedLocalEviction, SaysWhatWasMeasuredAgainstTheLimit) {
  const auto record = make_record(begun_, {.thresholds = thresholds_});
  EXPECT_EQ(record.local_limit, "emptydirfs.limit");
  ASSERT_TRUE(record.local_storage);
  EXPECT_EQ(record.local_storage->what, "volume");
  EXPECT_EQ(record.local_storage->name, "data");
  EXPECT_EQ(record.local_storage->used_bytes, (9_MiB).value);
  EXPECT_EQ(record.local_storage->limit_bytes, (4_MiB).value);
  EXPECT_EQ(record.local_storage->age_us, 120);
  EXPECT_EQ(record.local_storage->method, "walk");
  EXPECT_TRUE(record.local_storage->complete);
  EXPECT_EQ(record.message, "Usage of EmptyDir volume \"data\" exceeds the limit \"4Mi\". ");
  EXPECT_EQ(record.evictions_last_minute, 1U) << "this one included";
}

TEST_F(RecordedLocalEviction, SaysWhatElseItsPassSaw) {
  const auto record = make_record(begun_, {.thresholds = thresholds_, .pass = &copy_});
  ASSERT_EQ(record.observations.size(), 1U);
  EXPECT_EQ(record.observations[0].available, (60_MiB).value);
  EXPECT_EQ(record.thresholds.size(), 2U);
  EXPECT_EQ(record.memory_available_source, "kubelet");
  EXPECT_TRUE(record.swap_aware);
  EXPECT_EQ(record.signal, "") << "no threshold chose it";
}

/// Pods of a pass beside their limits on local storage; "hog" exceeds one.
class LocalLimits : public RecordedLocalEviction {
 protected:
  LocalLimits() {
    limit(*hog_, 0);
    exceed(0);
  }

  /// The pod at `place` has a limit and was measured.
  void limit(HotPod& pod, std::size_t place) {
    pod.facts.has_local_limits = true;
    copy_.pods[place].storage_at = kPassAt - std::chrono::microseconds(120);
    copy_.pods[place].storage_method = disk::StorageMethod::kWalk;
  }
  void exceed(std::size_t place) {
    copy_.pods[place].pass.pod = &storage_.description;
    copy_.pods[place].pass.statistics = &storage_.statistics;
  }
  [[nodiscard]] std::vector<exporting::RecordedLocalCandidate> candidates() const {
    return make_local_candidates(copy_, eviction::Compat::k1_32, kPassAt);
  }
};

TEST_F(LocalLimits, AProtectedPodOverItsLimitIsRecordedWithTheRuleThatSparesIt) {
  hog_->facts.is_critical = true;
  hog_->facts.is_static = true;
  const auto listed = candidates();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].name, "hog");
  EXPECT_EQ(listed[0].local_limit, "emptydirfs.limit");
  ASSERT_TRUE(listed[0].storage);
  EXPECT_EQ(listed[0].storage->used_bytes, (9_MiB).value);
  EXPECT_EQ(listed[0].passed_over, "static");
  EXPECT_EQ(listed[0].reason, "protected: static pod");
  EXPECT_EQ(spared_for_local_storage(listed),
            std::vector<std::string>{"uid-hog emptydirfs.limit static"});
}

TEST_F(LocalLimits, OtherPodsSayWhetherTheyHaveALimitAndKeepIt) {
  add({.name = "free"});
  limit(add({.name = "within"}), 2);
  add({.name = "unmeasured"}).facts.has_local_limits = true;
  copy_.local_signalled = {0};
  const auto record = make_record(begun_, {.thresholds = thresholds_, .pass = &copy_});
  const auto& listed = record.local_candidates;
  ASSERT_EQ(listed.size(), 4U);
  EXPECT_EQ(listed[0].passed_over, "") << "the victim";
  EXPECT_EQ(listed[1].passed_over, "no_limits");
  EXPECT_EQ(listed[2].passed_over, "within_limits");
  EXPECT_EQ(listed[2].reason, "it exceeded no limit on local storage");
  EXPECT_FALSE(listed[2].storage);
  EXPECT_EQ(listed[3].passed_over, "not_measured");
  EXPECT_TRUE(spared_for_local_storage(listed).empty());
}

TEST_F(LocalLimits, WhomABrakeSparesIsToldByItsName) {
  copy_.decision.reason = eviction::Reason::kPaused;
  EXPECT_EQ(candidates()[0].passed_over, "paused");
}

TEST_F(LocalLimits, AVictimInItsGraceIsNotSpared) {
  copy_.pods[0].pass.standing = eviction::Standing::kInHardGrace;
  EXPECT_EQ(candidates()[0].passed_over, "killed");
  EXPECT_TRUE(spared_for_local_storage(candidates()).empty());
}

TEST_F(LocalLimits, WhereNobodyExceedsOneNobodyIsListed) {
  copy_.pods[0].pass.pod = nullptr;
  copy_.pods[0].pass.statistics = nullptr;
  EXPECT_TRUE(candidates().empty());
}

}  // namespace
}  // namespace evictd::daemon
