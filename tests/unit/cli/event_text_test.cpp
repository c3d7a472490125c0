// SPDX-License-Identifier: Apache-2.0
#include "cli/event_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::cli {
namespace {

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
  EXPECT_NE(text({{"kind", "gap"}, {"lost", 1}}).find("1 line is missing"), std::string::npos);
  EXPECT_NE(text({{"kind", "unknown_pod"}, {"uid", "1-2"}}).find("describes pod 1-2"),
            std::string::npos);
  EXPECT_NE(text({{"kind", "skipped"}, {"after", 7}, {"first", 9}}).find("after 7 and before 9"),
            std::string::npos);
  EXPECT_NE(text({{"kind", "of the future"}}).find("of the future"), std::string::npos);
}

TEST(EventText, WhySigkillWasNotSentIsSaidInPlaceOfAnExceededGrace) {
  EXPECT_NE(event_text({{"kind", "progress"},
                        {"pod", "a/b"},
                        {"state", "exceeded_grace"},
                        {"not_killed", "never_evict"},
                        {"id", 3}})
                .find("pod a/b survives: SIGKILL was not sent: neverEvict names it now (decision "
                      "3)"),
            std::string::npos);
}

TEST(EventText, ADryRunSaysThatSigkillWouldNotHaveBeenSent) {
  EXPECT_NE(event_text({{"kind", "progress"},
                        {"pod", "a/b"},
                        {"state", "exceeded_grace"},
                        {"not_killed", "never_evict"},
                        {"dry_run", true},
                        {"id", 3}})
                .find("dry run: pod a/b would survive: SIGKILL would not have been sent: "
                      "neverEvict names it now (decision 3)"),
            std::string::npos);
}

TEST(EventText, APodThatIsNotGoneInTimeIsToldOfByTheNameOfTheEvent) {
  EXPECT_NE(
      event_text({{"kind", "progress"}, {"pod", "a/b"}, {"state", "exceeded_grace"}, {"id", 3}})
          .find("pod a/b is not gone in time: ExceededGracePeriod (decision 3)"),
      std::string::npos);
  EXPECT_NE(
      event_text(
          {{"kind", "progress"}, {"pod", "a/b"}, {"state", "killed"}, {"id", 3}, {"dry_run", true}})
          .find("dry run: pod a/b counts as killed (decision 3)"),
      std::string::npos);
}

TEST(EventText, AnEvictionWhoseGraceWasCutIsNotToldOfTwice) {
  nlohmann::ordered_json line = {
      {"kind", "decision"}, {"id", 3}, {"state", "killed"}, {"escalated_by", nullptr}};
  Repetitions repetitions(WallTime::min());
  EXPECT_FALSE(repetitions.take(line));
  line["escalated_by"] = 4;
  EXPECT_TRUE(repetitions.take(line));
}

TEST(EventText, ADecisionOfWhichOnlyTheEndIsLeftIsToldOfOnce) {
  Repetitions repetitions(WallTime::min());
  nlohmann::ordered_json line = {
      {"kind", "decision"}, {"id", 3}, {"state", "released"}, {"escalated_by", nullptr}};
  EXPECT_FALSE(repetitions.take(line));
  EXPECT_TRUE(repetitions.take(line));
  line["id"] = 4;
  EXPECT_FALSE(repetitions.take(line));
  EXPECT_FALSE(repetitions.take({{"kind", "progress"}, {"id", 4}, {"state", "released"}}));
}

TEST(EventText, EndOfAnEarlierDecisionIsLeftToItsProgressLines) {
  const nlohmann::ordered_json line = {{"kind", "decision"},
                                       {"id", 3},
                                       {"time", "1970-01-01T00:00:10Z"},
                                       {"state", "released"},
                                       {"escalated_by", nullptr}};
  EXPECT_TRUE(Repetitions(WallTime(std::chrono::seconds(11))).take(line));
  EXPECT_FALSE(Repetitions(WallTime(std::chrono::seconds(10))).take(line));
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

}  // namespace
}  // namespace evictd::cli
