// SPDX-License-Identifier: Apache-2.0
#include "demo/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "demo/story.h"

namespace evictd::demo {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

constexpr MonoTime kCrossing{std::chrono::seconds{100}};

/// A run in which everything went as it should.
Evidence good_run() {
  Evidence evidence;
  evidence.expected_victim = evidence.victim = "besteffort-hog";
  evidence.crossing = kCrossing;
  evidence.exit = kCrossing + microseconds{90'000};
  evidence.freed = kCrossing + microseconds{91'000};
  evidence.overshoot = 300_KiB;
  evidence.bytes_per_second = 2.0e9;
  evidence.rate = 2.0e9;
  evidence.unmanaged_rate = 2.1e9;
  evidence.headroom = 512_MiB;
  EvictionRecord record;
  record.hooks = {"tp_btf/mod_memcg_state", "bpf_timer"};
  record.hook = kCrossing - microseconds{12};
  record.wake = kCrossing + microseconds{20};
  record.observe = kCrossing + microseconds{30};
  record.decide = kCrossing + microseconds{35};
  record.signal = record.kill = kCrossing + microseconds{50};
  record.ranking = {{"besteffort-hog", "chosen"}, {"burstable-web", "ranks later"}};
  evidence.record = record;
  return evidence;
}

TEST(DemoVerdict, AGoodRunIsAsExpectedAndExitsWithZero) {
  EXPECT_EQ(judge(good_run()), Outcome::kAsExpected);
  EXPECT_EQ(exit_status_of(Outcome::kAsExpected), 0);
}

TEST(DemoVerdict, EveryWrongOutcomeIsNamedAndExitsWithNonZero) {
  Evidence wrong = good_run();
  wrong.victim = "burstable-web";
  EXPECT_EQ(judge(wrong), Outcome::kWrongVictim);
  Evidence nobody = good_run();
  nobody.victim.clear();
  EXPECT_EQ(judge(nobody), Outcome::kNobodyDied);
  Evidence more = good_run();
  more.other_deaths = 1;
  EXPECT_EQ(judge(more), Outcome::kOthersDied);
  Evidence oom = good_run();
  oom.oom_kills = 1;
  EXPECT_EQ(judge(oom), Outcome::kOomKill);
  Evidence silent = good_run();
  silent.record.reset();
  EXPECT_EQ(judge(silent), Outcome::kNoRecord);
  for (const Outcome outcome : {Outcome::kWrongVictim, Outcome::kNobodyDied, Outcome::kOthersDied,
                                Outcome::kOomKill, Outcome::kNoRecord}) {
    EXPECT_EQ(exit_status_of(outcome), kExitWrongOutcome);
  }
}

TEST(DemoVerdict, ARunWithoutASeenCrossingIsVoid) {
  Evidence unseen = good_run();
  unseen.crossing.reset();
  EXPECT_EQ(judge(unseen), Outcome::kNotSeen);
  EXPECT_EQ(exit_status_of(Outcome::kNotSeen), kExitVoid);
}

TEST(DemoVerdict, AnEvictionFarBelowTheThresholdIsAFailure) {
  Evidence early = good_run();
  early.crossing.reset();
  early.overshoot = Bytes{0};
  early.short_of = (60_MiB).value;
  EXPECT_EQ(judge(early), Outcome::kKilledEarly);
  EXPECT_EQ(exit_status_of(Outcome::kKilledEarly), kExitWrongOutcome);
  EXPECT_EQ(explain(Outcome::kKilledEarly, early),
            "besteffort-hog was evicted before the threshold was crossed: it was seen 60.00 MiB "
            "below it and no nearer");
  EXPECT_THAT(tell(early, script_of(Scenario::kMemory)),
              HasSubstr("never seen past the threshold, at "));
  early.scenario = Scenario::kPids;
  early.short_of = 250;
  EXPECT_THAT(explain(Outcome::kKilledEarly, early), HasSubstr("it was seen 250 tasks below it"));
  EXPECT_THAT(tell(early, script_of(Scenario::kPids)),
              HasSubstr("never seen past the threshold; "));
}

TEST(DemoVerdict, ACrossingWithinTheLastBatchIsGoodEnough) {
  Evidence within = good_run();
  within.overshoot = Bytes{0};
  within.short_of = 4096;
  EXPECT_EQ(judge(within), Outcome::kAsExpected);
  EXPECT_THAT(tell(within, script_of(Scenario::kMemory)),
              HasSubstr("past the threshold for less than the time between two readings, at "));
}

TEST(DemoVerdict, AHogThatWasHeldBackProvesNothing) {
  Evidence slow = good_run();
  slow.rate = 1.0e9;
  EXPECT_EQ(judge(slow), Outcome::kHeldBack);
  EXPECT_EQ(exit_status_of(Outcome::kHeldBack), kExitVoid);
}

TEST(DemoVerdict, TheJsonHasExactlyTheKeysThatArePromised) {
  const auto object = nlohmann::ordered_json::parse(to_json(good_run()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  EXPECT_THAT(keys, testing::ElementsAre("scenario", "event_source", "hooks", "grace_seconds",
                                         "victim", "expected_victim", "crossing_to_detection_us",
                                         "crossing_to_wake_us", "crossing_to_sigkill_us",
                                         "crossing_to_exit_us", "crossing_to_freed_us",
                                         "overshoot_bytes", "hog_bytes_per_second", "oom_kills"));
  EXPECT_EQ(object["crossing_to_detection_us"], -12.0);
  EXPECT_EQ(object["crossing_to_sigkill_us"], 50.0);
  EXPECT_EQ(object["crossing_to_exit_us"], 90'000.0);
  EXPECT_EQ(object["overshoot_bytes"], 300 * 1024);
  EXPECT_EQ(object["oom_kills"], 0);
}

TEST(DemoVerdict, TheStorySaysWhatWasAwaitedBetweenDetectionAndWake) {
  Evidence measured = good_run();
  measured.scenario = Scenario::kInodes;
  measured.record->hook.reset();
  measured.record->first_met = kCrossing + microseconds{400};
  measured.record->held_for_usage = kCrossing + microseconds{500};
  measured.record->wake = kCrossing + microseconds{170'000};
  const std::string text = tell(measured, script_of(Scenario::kInodes));
  EXPECT_THAT(text, HasSubstr("500.0  held: the pods' disk usage is measured again first"));
  EXPECT_LT(text.find("held: "), text.find("wake: ")) << text;
  EXPECT_THAT(tell(good_run(), script_of(Scenario::kMemory)), testing::Not(HasSubstr("held: ")));
}

TEST(DemoVerdict, APollDetectsWhenItReads) {
  Evidence polled = good_run();
  polled.record->hook.reset();
  EXPECT_EQ(detection(polled), polled.record->observe);
}

TEST(DemoVerdict, ARehearsalThatReadsPastTheThresholdIsTheKernelSides) {
  Evidence rehearsed = good_run();
  rehearsed.record->hook.reset();
  rehearsed.record->rehearsed = true;
  EXPECT_EQ(detection(rehearsed), rehearsed.record->observe);
  EXPECT_THAT(tell(rehearsed, script_of(Scenario::kMemory)),
              HasSubstr("detection: the kernel program saw it coming"));
}

TEST(DemoVerdict, APollOfASoftThresholdDetectsWhenItFirstFindsItMet) {
  Evidence polled = good_run();
  polled.scenario = Scenario::kSoft;
  polled.record->hook.reset();
  polled.record->first_met = kCrossing + microseconds{9'000'000};
  polled.record->wake = kCrossing + microseconds{10'999'990};
  polled.record->observe = kCrossing + microseconds{11'000'000};
  EXPECT_EQ(detection(polled), polled.record->first_met);
  const auto object = nlohmann::json::parse(to_json(polled));
  EXPECT_EQ(object["crossing_to_detection_us"], 9'000'000.0);
  const std::string text = tell(polled, script_of(Scenario::kSoft));
  EXPECT_THAT(text, HasSubstr("9000000.0  detection: the first reading past the threshold"));
  EXPECT_LT(text.find("crossing: usage"), text.find("detection"));
  EXPECT_LT(text.find("detection"), text.find("observation"));
}

TEST(DemoVerdict, WhatDidNotHappenIsNull) {
  Evidence nobody = good_run();
  nobody.victim.clear();
  nobody.record.reset();
  nobody.exit.reset();
  const auto object = nlohmann::json::parse(to_json(nobody));
  EXPECT_TRUE(object["victim"].is_null());
  EXPECT_TRUE(object["crossing_to_sigkill_us"].is_null());
  EXPECT_TRUE(object["crossing_to_exit_us"].is_null());
}

TEST(DemoStory, TellsTheTimelineInOrderTheRankingAndThePriceOfPolling) {
  const std::string text = tell(good_run(), script_of(Scenario::kMemory));
  EXPECT_LT(text.find("detection"), text.find("crossing: usage"));
  EXPECT_LT(text.find("decision"), text.find("SIGKILL"));
  EXPECT_LT(text.find("SIGKILL"), text.find("waitpid"));
  EXPECT_THAT(text, HasSubstr("1. besteffort-hog: chosen"));
  EXPECT_THAT(text, HasSubstr("past the threshold by at most 0.29 MiB"));
  EXPECT_THAT(text, HasSubstr("5 s later on average, 10 s at worst: 9.3 and 18.6 GiB"));
  EXPECT_THAT(text, HasSubstr("OOM kills by the kernel: 0"));
}

TEST(DemoStory, TellsWhetherAGraceWasCutOrIsOver) {
  Evidence graced = good_run();
  graced.grace_seconds = 2;
  graced.record->grace_seconds = 2;
  graced.record->kill = kCrossing + std::chrono::seconds{2};
  const std::string over = tell(graced, script_of(Scenario::kMemory));
  EXPECT_THAT(over, HasSubstr("2000000.0  signal: SIGKILL: the grace is over"));
  graced.record->kill = kCrossing + microseconds{58'000};
  graced.record->grace_was_cut = true;
  const std::string cut = tell(graced, script_of(Scenario::kMemory));
  EXPECT_THAT(cut, HasSubstr("50.0  signal: SIGTERM"));
  EXPECT_THAT(cut, HasSubstr("58000.0  signal: SIGKILL: the grace was cut"));
  EXPECT_THAT(cut, testing::Not(HasSubstr("the grace is over")));
  graced.record->grace_was_cut = false;
  graced.record->grace_was_shortened = true;
  EXPECT_THAT(tell(graced, script_of(Scenario::kMemory)), HasSubstr("shortened to the time left"));
  graced.record->grace_seconds = 0;
  EXPECT_THAT(tell(graced, script_of(Scenario::kMemory)), testing::Not(HasSubstr("SIGTERM")));
}

TEST(DemoStory, OfAForkBombSpeaksOfTasks) {
  Evidence forks = good_run();
  forks.scenario = Scenario::kPids;
  forks.tasks_past = 2;
  forks.tasks_headroom = 1024;
  forks.rate = 5000;
  forks.bytes_per_second = 5000.0 * 64 * 1024;
  const std::string text = tell(forks, script_of(Scenario::kPids));
  EXPECT_THAT(text, HasSubstr("past the threshold by at most 2 tasks; 5000 forks a second"));
  EXPECT_THAT(text, HasSubstr("10 s at worst: 25000 and 50000 tasks at this rate, with 1.5 and 3.1 "
                              "GiB charged for them"));
  EXPECT_THAT(text,
              HasSubstr("the limit, 1024 tasks above the threshold, would have been reached after "
                        "0.20 s"));
}

TEST(DemoStory, SaysNothingOfBytesThatItDoesNotKnow) {
  Evidence forks = good_run();
  forks.scenario = Scenario::kPids;
  forks.tasks_past = 0;
  forks.rate = 5000;
  forks.bytes_per_second = 0;
  const std::string text = tell(forks, script_of(Scenario::kPids));
  EXPECT_THAT(text, HasSubstr("past the threshold for less than the time between two readings"));
  EXPECT_THAT(text, testing::Not(HasSubstr("GiB")));
  EXPECT_THAT(text, testing::Not(HasSubstr("at most 0 tasks")));
}

}  // namespace
}  // namespace evictd::demo
