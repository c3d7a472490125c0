// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/event_text.h"
#include "cli/explain_absent.h"
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

TEST_F(Explain, APodIsFoundByNameByNamespaceAndNameAndByUid) {
  for (const char* name : {"hog", "test/hog", "uid-hog"}) {
    EXPECT_EQ(asked({.what = name, .at = std::nullopt}), 2U) << name;
  }
  EXPECT_EQ(asked({.what = "1", .at = std::nullopt}), 1U);
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

TEST(ExplainAbsent, APodThatTheDaemonKnowsIsAnsweredFor) {
  const nlohmann::ordered_json status = {
      {"pods",
       {{{"namespace", "kube-system"},
         {"name", "dns"},
         {"uid", "u1"},
         {"state", "active"},
         {"protection", "critical"}},
        {{"namespace", "a"}, {"name", "b"}, {"uid", "u2"}, {"state", "no_cgroup"}}}}};
  const std::vector<std::string> active = story_of_absent(status, "kube-system/dns");
  ASSERT_EQ(active.size(), 3U);
  EXPECT_EQ(active[0], "Pod kube-system/dns (u1) took part in none of the recorded decisions.");
  EXPECT_EQ(active[2], "It may not be evicted in any: protected (critical).");
  const std::vector<std::string> gone = story_of_absent(status, "u2");
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[1], "It has no cgroup.");
  EXPECT_TRUE(story_of_absent(status, "ghost").empty());
  EXPECT_TRUE(story_of_absent(nlohmann::ordered_json(), "dns").empty());
  EXPECT_TRUE(story_of_absent({{"pods", {1, nullptr}}}, "dns").empty());
}

TEST_F(Explain, PrintsStoryThresholdsAndRanking) {
  std::ostringstream out;
  print_answer(find_answer(records_, {}).value(), out);
  EXPECT_NE(out.str().find("pod test/bomb (uid-bomb) was evicted"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("memory.available was 60.0Mi of 1.0Gi"), std::string::npos);
  EXPECT_NE(out.str().find("ranks later: priority 5 is above 0"), std::string::npos);
}

TEST(EventText, TellsEachKindInWords) {
  using nlohmann::ordered_json;
  const auto text = [](const ordered_json& line) { return event_text(line); };
  EXPECT_NE(text({{"kind", "condition"}, {"type", "MemoryPressure"}, {"status", true}})
                .find("node condition MemoryPressure set"),
            std::string::npos);
  EXPECT_NE(text({{"kind", "oom_kill"}, {"pid", 5}, {"process", "hog"}, {"pod", "a/b"}})
                .find("OOM killer was first: process 5 (hog) of pod a/b"),
            std::string::npos);
  EXPECT_NE(text({{"kind", "gap"}, {"lost", 3}}).find("3 lines are missing"), std::string::npos);
  EXPECT_NE(text({{"kind", "of the future"}}).find("of the future"), std::string::npos);
}

TEST(EventText, APodThatIsNotGoneInTimeIsToldOfByTheNameOfTheEvent) {
  EXPECT_NE(
      event_text({{"kind", "progress"}, {"pod", "a/b"}, {"state", "exceeded_grace"}, {"id", 3}})
          .find("pod a/b is not gone in time: ExceededGracePeriod (decision 3)"),
      std::string::npos);
  EXPECT_NE(
      event_text(
          {{"kind", "progress"}, {"pod", "a/b"}, {"state", "killed"}, {"id", 3}, {"dry_run", true}})
          .find("dry run: pod a/b is killed (decision 3)"),
      std::string::npos);
}

TEST(EventText, AnEvictionWhoseGraceWasCutIsNotToldOfTwice) {
  nlohmann::ordered_json line = {
      {"kind", "decision"}, {"state", "killed"}, {"escalated_by", nullptr}};
  EXPECT_FALSE(repeats(line));
  line["escalated_by"] = 4;
  EXPECT_TRUE(repeats(line));
}

TEST(EventText, NoTextOfARecordForgesALine) {
  using nlohmann::ordered_json;
  const ordered_json line = {
      {"time", "now\r"}, {"kind", "refused"}, {"pod", "a/b\nforged"}, {"reason", "\x1b[2J"}};
  const std::string text = event_text(line);
  EXPECT_NE(text.find("pod a/b\\x0aforged could not be evicted: \\x1b[2J"), std::string::npos)
      << text;
  EXPECT_NE(text.find("now\\x0d"), std::string::npos) << text;
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
