// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "cli/event_text.h"
#include "cli/explain_text.h"

namespace evictd::cli {
namespace {

using exporting::EvictionRecord;

WallTime at(int seconds) {
  return WallTime(std::chrono::seconds(1769860800 + seconds));
}

exporting::RecordedCandidate candidate(const std::string& name, std::size_t place,
                                       const std::string& passed_over, const std::string& reason) {
  exporting::RecordedCandidate made;
  made.place = place;
  made.ns = "test";
  made.name = name;
  made.uid = "uid-" + name;
  made.usage = 64 << 20;
  made.passed_over = passed_over;
  made.reason = reason;
  return made;
}

EvictionRecord eviction(std::uint64_t id, int seconds, const std::string& victim) {
  EvictionRecord record;
  record.id = id;
  record.at = at(seconds);
  record.ns = "test";
  record.name = victim;
  record.uid = "uid-" + victim;
  record.outcome = "evicted";
  record.state = "released";
  record.trigger = "crossing";
  record.signal = "memory.available";
  record.threshold = "100Mi";
  record.available = 60 << 20;
  record.capacity = 1 << 30;
  record.ranking = {candidate(victim, 1, "", "chosen"),
                    candidate("web", 2, "ranks_later", "ranks later: priority 5 is above 0")};
  return record;
}

EvictionRecord nobody(std::uint64_t id, int seconds, const std::string& outcome) {
  EvictionRecord record;
  record.id = id;
  record.at = at(seconds);
  record.outcome = outcome;
  record.trigger = "regular";
  return record;
}

class Explain : public testing::Test {
 protected:
  [[nodiscard]] std::uint64_t asked(const Question& question) const {
    const Result<Answer> answer = find_answer(records_, question);
    return answer ? answer->record->id : 0;
  }
  std::vector<EvictionRecord> records_{nobody(1, 0, "in_grace"), eviction(2, 10, "hog"),
                                       eviction(3, 20, "bomb"), nobody(4, 30, "nothing_met")};
};

TEST_F(Explain, LastIsTheNewestEvictionAndNotTheQuietAfterIt) {
  EXPECT_EQ(asked({.what = "last", .at = std::nullopt}), 3U);
}

TEST_F(Explain, WithoutAnEvictionLastIsTheNewestDecision) {
  records_.erase(records_.begin() + 1, records_.begin() + 3);
  EXPECT_EQ(asked({}), 4U);
}

TEST_F(Explain, WhereNothingIsRecordedItDoesNotSayThatNothingHappened) {
  const Result<Answer> answer = find_answer({}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(),
            "no decision is recorded; there is none until a threshold is met")
      << "a file that was lost or damaged has none either";
}

TEST_F(Explain, APodIsFoundByNameByNamespaceAndNameAndByUid) {
  for (const char* name : {"hog", "test/hog", "uid-hog"}) {
    EXPECT_EQ(asked({.what = name, .at = std::nullopt}), 2U) << name;
  }
  EXPECT_EQ(asked({.what = "1", .at = std::nullopt}), 1U);
}

TEST_F(Explain, WhatHasALeadingZeroIsThePodOfThatNameAndNoId) {
  EXPECT_EQ(asked({.what = "02", .at = std::nullopt}), 0U) << "no pod is called so";
  records_.push_back(eviction(5, 40, "02"));
  EXPECT_EQ(asked({.what = "02", .at = std::nullopt}), 5U);
}

TEST_F(Explain, APodThatWasNotEvictedIsToldWhyNot) {
  const Result<Answer> answer = find_answer(records_, {.what = "test/web", .at = std::nullopt});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->record->id, 3U) << "the newest in which it was passed over";
  const std::string last = story_of(*answer).back();
  EXPECT_EQ(last.find("Why not test/web: ranks later: priority 5 is above 0. It was 2 of 2"), 0U)
      << last;
}

TEST_F(Explain, AMomentIsAnsweredByWhatWasInForceThen) {
  EXPECT_EQ(asked({.what = "last", .at = at(5)}), 1U);
  EXPECT_EQ(asked({.what = "last", .at = at(10)}), 2U);
  EXPECT_EQ(asked({.what = "last", .at = at(99)}), 4U);
  const Result<Answer> before = find_answer(records_, {.what = "last", .at = at(-1)});
  ASSERT_FALSE(before);
  EXPECT_NE(before.error().message().find("from 2026-01-31T12:00:00"), std::string::npos);
}

TEST_F(Explain, AMomentWhenNothingWasDoneSaysWhy) {
  const Result<Answer> answer = find_answer(records_, {.what = "last", .at = at(5)});
  ASSERT_TRUE(answer);
  EXPECT_NE(story_of(*answer)[0].find("nobody was evicted (in_grace)"), std::string::npos);
}

TEST_F(Explain, WhoIsNotThereIsAnErrorThatSaysWhatThereIs) {
  const Result<Answer> answer = find_answer(records_, {.what = "ghost", .at = std::nullopt});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message().find("decisions 1 to 4"), std::string::npos)
      << answer.error().message();
  EXPECT_FALSE(find_answer({}, {}));
}

TEST_F(Explain, AnEscalationTellsWhatItCutAndHowMuchOfTheGraceWasUsed) {
  EvictionRecord first = eviction(5, 40, "slow");
  first.grace_seconds = 1;
  first.timeline.signal = MonoTime(std::chrono::seconds(7));
  first.timeline.killed = *first.timeline.signal + std::chrono::milliseconds(946);
  first.escalated_by = 6;
  EvictionRecord cut = eviction(6, 41, "slow");
  cut.outcome = "escalated";
  cut.escalates = 5;
  cut.timeline.grace_began = first.timeline.signal;
  cut.timeline.signal = first.timeline.killed;
  cut.timeline.killed = first.timeline.killed;
  records_.push_back(first);
  records_.push_back(cut);
  std::ostringstream out;
  print_answer(find_answer(records_, {.what = "slow", .at = std::nullopt}).value(), out);
  EXPECT_NE(out.str().find("Before, decision 5 at 2026-01-31T12:00:40.000000Z had evicted it "
                           "because of memory.available, with 1 s to SIGKILL."),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("946.0 ms of its grace were used, since SIGTERM; now released"),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("SIGTERM sent, which began the grace"), std::string::npos);
  std::ostringstream before;
  print_answer(find_answer(records_, {.what = "5", .at = std::nullopt}).value(), before);
  EXPECT_NE(
      before.str().find("with 1 s to SIGKILL; 946.0 ms of them were used; decision 6 cut what "
                        "was left of them; now released"),
      std::string::npos)
      << before.str();
}

TEST_F(Explain, AnEvictionForLocalStorageTellsWhatWasMeasured) {
  EvictionRecord local = eviction(5, 40, "writer");
  local.signal.clear();
  local.threshold.clear();
  local.ranking.clear();
  local.local_limit = "emptydirfs.limit";
  local.local_storage = {.what = "volume",
                         .name = "data",
                         .used_bytes = 9 << 20,
                         .limit_bytes = 4 << 20,
                         .age_us = 1500,
                         .method = "walk",
                         .complete = false};
  records_.push_back(local);
  EXPECT_EQ(story_of(find_answer(records_, {}).value())[1],
            "It exceeded its own limit on local storage (emptydirfs.limit): volume data used at "
            "least 9.0Mi of 4.0Mi, measured by walk 1.5 ms before.");
  EXPECT_NE(event_text(exporting::to_json(local)).find(": emptydirfs.limit 9.0Mi against 4.0Mi"),
            std::string::npos);
}

TEST_F(Explain, AnEvictionForMemoryTellsWhatContainersUsed) {
  EvictionRecord known = eviction(5, 40, "hog");
  known.containers = {{.name = "app", .working_set_bytes = 9 << 20, .age_us = 1500},
                      {.name = "log", .working_set_bytes = 4 << 20, .age_us = 1500}};
  records_.push_back(known);
  const std::vector<std::string> story = story_of(find_answer(records_, {}).value());
  EXPECT_NE(std::find(story.begin(), story.end(),
                      "Of its containers, as last read: app 9.0Mi (1.5 ms before), log 4.0Mi (1.5 "
                      "ms before)."),
            story.end());
}

/// An eviction of "writer" for local storage, at which "fixed" was spared and "tidy" kept its
/// limit.
EvictionRecord local_eviction() {
  EvictionRecord record = eviction(5, 40, "writer");
  record.signal.clear();
  record.threshold.clear();
  record.ranking.clear();
  record.local_limit = "emptydirfs.limit";
  exporting::RecordedLocalStorage much;
  much.what = "volume";
  much.name = "data";
  much.used_bytes = 9 << 20;
  much.limit_bytes = 4 << 20;
  much.age_us = 1500;
  much.method = "walk";
  record.local_storage = much;
  const auto listed = [](const std::string& name) {
    exporting::RecordedLocalCandidate candidate;
    candidate.ns = "test";
    candidate.name = name;
    candidate.uid = "uid-" + name;
    return candidate;
  };
  record.local_candidates = {listed("writer"), listed("fixed"), listed("tidy")};
  for (const std::size_t over : {0U, 1U}) {
    record.local_candidates[over].local_limit = "emptydirfs.limit";
    record.local_candidates[over].storage = much;
  }
  record.local_candidates[1].passed_over = "static";
  record.local_candidates[1].reason = "protected: static pod";
  record.local_candidates[2].passed_over = "within_limits";
  record.local_candidates[2].reason = "it exceeded no limit on local storage";
  return record;
}

TEST_F(Explain, ReportsAChoiceBeforeAllWereMeasuredAndWhatLacked) {
  EvictionRecord record = eviction(5, 40, "hog");
  record.signal = "nodefs.inodesFree";
  record.disk_basis = "best_known";
  exporting::RecordedCandidate other = candidate("other", 2, "ranks_later", "ranks later");
  other.usage = 256;
  other.counted = "part";
  other.error_bound = 1000;
  record.ranking.push_back(other);
  records_ = {record};
  const auto contains = [](const std::vector<std::string>& story, const std::string& words) {
    return std::any_of(story.begin(), story.end(), [&](const std::string& sentence) {
      return sentence.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(contains(story_of(find_answer(records_, {}).value()),
                       "the choice uses the best known values"));
  const Question who{.what = "other", .at = std::nullopt};
  EXPECT_TRUE(contains(story_of(find_answer(records_, who).value()), "counted in part, up to "));
}

TEST_F(Explain, WhatARestartFoundUnderWayIsAsOldAsItIs) {
  EvictionRecord found = eviction(9, 5, "old");  // Its own record was rotated away.
  found.trigger = "restart";
  records_.push_back(found);
  EXPECT_EQ(asked({.what = "last", .at = std::nullopt}), 3U);
  EXPECT_EQ(asked({.what = "old", .at = std::nullopt}), 9U);
  found = eviction(10, 50, "new");
  found.trigger = "restart";
  records_.push_back(found);
  EXPECT_EQ(asked({.what = "last", .at = std::nullopt}), 10U);
}

TEST_F(Explain, ANameThatTwoPodsHaveNamesTheOtherOne) {
  EvictionRecord earlier = eviction(4, 30, "hog");
  earlier.ns = "other";
  records_ = {earlier, eviction(5, 40, "hog")};
  const auto last_of = [&](const std::string& what) {
    return story_of(find_answer(records_, {.what = what, .at = std::nullopt}).value()).back();
  };
  EXPECT_EQ(last_of("hog"), "The name means other/hog as well: ask for one by namespace/name.");
  for (const char* const what : {"test/hog", "uid-hog", "last", "web"}) {
    EXPECT_EQ(last_of(what).find("The name means"), std::string::npos) << what;
  }
}

TEST_F(Explain, ShowsPassedOverPodsGraceSourceAndKubeletEvent) {
  EvictionRecord record = eviction(5, 40, "hog");
  record.grace_seconds = 1;
  record.memory_available_source = "kubelet";
  record.evictions_last_minute = 2;
  record.overruled_brake = "paused";
  record.thresholds = {{.signal = "memory.available",
                        .threshold = "100Mi",
                        .hardness = "hard",
                        .grace_period_ms = 0,
                        .met = true,
                        .available = 60 << 20,
                        .capacity = 1 << 30,
                        .met_below = 100 << 20,
                        .min_reclaim = "50Mi",
                        .stood = "acted_on",
                        .met_for_ms = std::nullopt}};
  record.ranking.insert(record.ranking.begin(),
                        candidate("dns", 1, "critical", "protected: critical priority"));
  record.events = {{.on = "pod", .reason = "Evicted", .message = "The node was low."}};
  record.pod_conditions = {
      {.type = "DisruptionTarget", .reason = "TerminationByKubelet", .message = "x"}};
  records_ = {record};
  const std::vector<std::string> story = story_of(find_answer(records_, {}).value());
  for (const char* sentence :
       {"Passed over before it: test/dns (protected: critical priority).",
        "Its grace of 1 s is hardEvictionGracePeriodSeconds or, if that is unset, the "
        "compatibility version's.",
        "How memory.available was computed: kubelet.",
        "Evictions in the last minute: 2. The brake paused would have held it if more than the "
        "floor had been left.",
        "A kubelet would have posted on the pod: Evicted: The node was low.",
        "A kubelet would have set DisruptionTarget on the pod: TerminationByKubelet."}) {
    EXPECT_NE(std::find(story.begin(), story.end(), sentence), story.end()) << sentence;
  }
  EXPECT_NE(story[1].find(", resolved once 50Mi more is available"), std::string::npos) << story[1];
}

TEST_F(Explain, SubSecondSoftGraceIsShownWholeAndCalledSoft) {
  for (const auto& [ms, in_words, in_table] : {std::tuple{500, "for 500 ms", " 500ms "},
                                               {1500, "for 1.5 s", " 1.5s "},
                                               {1040, "for 1.04 s", " 1.04s "},
                                               {30'000, "for 30 s", " 30s "}}) {
    EvictionRecord record = eviction(5, 40, "hog");
    exporting::RecordedThreshold& soft = record.thresholds.emplace_back();
    soft.signal = record.signal;
    soft.threshold = record.threshold;
    soft.hardness = "soft";
    soft.grace_period_ms = ms;
    records_ = {record};
    std::ostringstream out;
    print_answer(find_answer(records_, {}).value(), out);
    EXPECT_NE(
        out.str().find("its soft threshold is 100Mi, which must be met " + std::string(in_words)),
        std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find(in_table), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("is evictionMaxPodGracePeriod or"), std::string::npos) << out.str();
  }
}

/// What is told of a decision on "hog", by the story, the tables, the events and the log alike.
std::string told(const EvictionRecord& record) {
  std::ostringstream out;
  print_answer({.record = &record, .pod = nullptr, .local = nullptr, .cut = nullptr}, out);
  return out.str() + event_text(exporting::to_json(record));
}

TEST_F(Explain, TellsWhatCollectorsDidBeforeAPodHadToGo) {
  EvictionRecord record = eviction(5, 40, "hog");
  record.signal = "nodefs.available";
  record.timeline.decide = MonoTime(std::chrono::seconds(20));
  exporting::RecordedReclaim& reclaim = record.reclaim.emplace();
  reclaim.available_before = 58 << 20;
  exporting::RecordedCollector& containers = reclaim.collectors.emplace_back();
  containers.collector = "containers";
  containers.argv = {"/usr/bin/prune", "-f"};
  containers.outcome = "failed";
  containers.end = "exit status 3";
  containers.took_ms = 1200;
  containers.ended_at = *record.timeline.decide - std::chrono::milliseconds(40);
  exporting::RecordedCollector& images = reclaim.collectors.emplace_back();
  images.collector = "images";
  images.argv = {"/usr/bin/rmi"};
  images.outcome = "under_way";
  EXPECT_NE(
      told(record).find(
          "Collectors ran before that: containers (/usr/bin/prune -f) failed after 1.2 s (exit "
          "status 3), 40.0 ms before; images (/usr/bin/rmi) had not ended; nodefs.available was "
          "58.0Mi before they ran and 60.0Mi after, which was not enough."),
      std::string::npos)
      << told(record);
  record.reclaim.reset();
  EXPECT_EQ(told(record).find("ollectors"), std::string::npos);
}

EvictionRecord dry_eviction(std::int64_t grace_seconds, const std::string& state) {
  EvictionRecord record = eviction(5, 40, "hog");
  record.dry_run = true;
  record.method = "dry_run";
  record.grace_seconds = grace_seconds;
  record.state = state;
  record.timeline.decide = MonoTime(std::chrono::seconds(7));
  record.timeline.signal = record.timeline.decide;
  record.timeline.killed = *record.timeline.decide + std::chrono::seconds(grace_seconds);
  record.timeline.exited = *record.timeline.killed + std::chrono::seconds(1);
  record.timeline.freed = record.timeline.exited;
  return record;
}

TEST_F(Explain, NothingOfADryRunIsToldAsIfASignalHadBeenSent) {
  EvictionRecord escalated = dry_eviction(1, "killed");
  escalated.outcome = "escalated";
  escalated.timeline.grace_began = MonoTime(std::chrono::seconds(6));
  EvictionRecord cut = dry_eviction(30, "terminating");
  cut.escalated_by = 6;
  for (const EvictionRecord& record : {dry_eviction(0, "killed"), dry_eviction(30, "terminating"),
                                       dry_eviction(30, "released"), escalated, cut}) {
    const std::string text = told(record);
    for (const char* lie :
         {"was evicted", "SIGTERM sent", "SIGKILL sent", "signal sent", "now killed",
          "now released", "now terminating", "SIGTERM to", "SIGKILL at once, by", "were used",
          "last process gone", "memory free", "\nlost", ") lost", "6 cut", "grace cut"}) {
      EXPECT_EQ(text.find(lie), std::string::npos) << lie << " in:\n" << text;
    }
    EXPECT_NE(text.find("(dry run: nothing was sent)"), std::string::npos) << text;
    EXPECT_NE(text.find("Nothing was sent: it would have "), std::string::npos) << text;
    EXPECT_NE(text.find("dry run: would have "), std::string::npos) << text;
  }
}

TEST_F(Explain, ADryRunSaysWhatWouldHaveBeenSent) {
  EXPECT_NE(told(dry_eviction(0, "killed"))
                .find("Nothing was sent: it would have been SIGKILL at once; it counts as killed."),
            std::string::npos);
  EXPECT_NE(told(dry_eviction(30, "terminating"))
                .find("Nothing was sent: it would have been SIGTERM, with 30 s to SIGKILL; it "
                      "counts as in its grace."),
            std::string::npos);
  EXPECT_NE(told(dry_eviction(30, "released")).find("SIGKILL would have been sent"),
            std::string::npos);
}

TEST_F(Explain, AProtectedPodOverItsLimitIsToldWhyItWasSpared) {
  records_ = {local_eviction()};
  const Result<Answer> answer = find_answer(records_, {.what = "test/fixed", .at = std::nullopt});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(story_of(*answer).back(),
            "test/fixed exceeded its limit on local storage (emptydirfs.limit): volume data used "
            "9.0Mi of 4.0Mi, measured by walk 1.5 ms before. Why not test/fixed: protected: static "
            "pod.");
}

TEST_F(Explain, APodWithinItsLimitsIsToldThatItExceededNone) {
  records_ = {local_eviction()};
  const Result<Answer> answer = find_answer(records_, {.what = "tidy", .at = std::nullopt});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(story_of(*answer).back(),
            "Why not test/tidy for its local storage: it exceeded no limit on local storage.");
  EXPECT_TRUE(find_answer(records_, {.what = "tidy", .at = at(99)}));
}

TEST_F(Explain, WhoWasSparedIsToldWithEveryAnswer) {
  records_ = {local_eviction()};
  std::ostringstream out;
  print_answer(find_answer(records_, {}).value(), out);
  EXPECT_NE(out.str().find("before; it was not evicted: protected: static pod."), std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("LOCAL LIMIT"), std::string::npos);
}

TEST_F(Explain, PrintsStoryThresholdsAndRanking) {
  std::ostringstream out;
  print_answer(find_answer(records_, {}).value(), out);
  EXPECT_NE(out.str().find("pod test/bomb (uid-bomb) was evicted"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("memory.available was 60.0Mi of 1.0Gi"), std::string::npos);
  EXPECT_NE(out.str().find("ranks later: priority 5 is above 0"), std::string::npos);
}

TEST_F(Explain, WhySigkillWasNotSentAtTheEndOfAGraceIsSaid) {
  EvictionRecord spared = eviction(5, 40, "hog");
  spared.grace_seconds = 3;
  spared.method = "pidfds";
  spared.processes = 1;
  spared.state = "exceeded_grace";
  spared.not_killed = "never_evict";
  const std::string text = told(spared);
  EXPECT_NE(text.find("SIGTERM to 1 processes by pidfds, with 3 s to SIGKILL; SIGKILL was not "
                      "sent: neverEvict names it now."),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("ExceededGracePeriod"), std::string::npos) << text;
}

TEST_F(Explain, OfADryRunItIsSaidThatSigkillWouldNotHaveBeenSent) {
  EvictionRecord spared = eviction(5, 40, "hog");
  spared.grace_seconds = 3;
  spared.dry_run = true;
  spared.state = "exceeded_grace";
  spared.not_killed = "never_evict";
  const std::string text = told(spared);
  EXPECT_NE(text.find("Nothing was sent: it would have been SIGTERM, with 3 s to SIGKILL; SIGKILL "
                      "would not have been sent: neverEvict names it now."),
            std::string::npos)
      << text;
}

TEST_F(Explain, NoTextOfARecordForgesALine) {
  records_.back() = eviction(5, 40, "hog\nforged");
  std::ostringstream out;
  print_answer(find_answer(records_, {}).value(), out);
  EXPECT_EQ(out.str().find("\nforged"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("pod test/hog\\x0aforged"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace evictd::cli
