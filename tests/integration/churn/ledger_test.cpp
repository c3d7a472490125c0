// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace evictd::churn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const stage::ChildExit kKilled{.status = SIGKILL, .at = {}};
const stage::ChildExit kFailed{.status = 1 << 8, .at = {}};

std::string record(int id, const std::string& uid, const std::string& state, int processes = 0) {
  return R"({"kind":"decision","outcome":"evicted","id":)" + std::to_string(id) + R"(,"uid":")" +
         uid + R"(","pod":"default/x","state":")" + state + R"(","processes":)" +
         std::to_string(processes) + "}";
}

class ChurnLedger : public testing::Test {
 protected:
  void SetUp() override {
    ledger_.born("u1", "hog", Standing::kMayGo);
    ledger_.born("u2", "critical", Standing::kProtected);
  }

  Ledger ledger_;
};

TEST_F(ChurnLedger, IsContentWithAPodThatWasEvictedAndOneThatLives) {
  ledger_.take_line(record(1, "u1", "killed"));
  ledger_.died("u1", kKilled);
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("left in the state \"killed\"")));
  ledger_.take_line(record(1, "u1", "released"));
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
  EXPECT_EQ(ledger_.evictions(), 1U);
}

TEST_F(ChurnLedger, MissesTheRecordOfAPodThatWasKilled) {
  ledger_.died("u1", kKilled);
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("hog (u1) died of signal 9 without")));
}

TEST_F(ChurnLedger, MissesNoRecordOfAPodThatWasEndedFromOutside) {
  ledger_.ending("u1");
  ledger_.died("u1", kKilled);
  ledger_.ending("u2");
  ledger_.died("u2", kKilled);
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
}

TEST_F(ChurnLedger, ComplainsOfAProtectedPodThatWasEvicted) {
  ledger_.take_line(record(1, "u2", "released"));
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("critical (u2) is protected")));
}

TEST_F(ChurnLedger, ComplainsOfAPodThatEndsByItself) {
  ledger_.died("u1", kFailed);
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("by itself with exit status 1")));
}

TEST_F(ChurnLedger, ComplainsOfARecordOfNoPodOfItsOwn) {
  ledger_.take_line(record(1, "u9", "released"));
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("of no pod of this run")));
}

TEST_F(ChurnLedger, MissesTheRecordOfAPodThatTheWitnessSawSignalled) {
  ledger_.was_signalled("u1", "signal 15 by process 7 (x)");
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("hog (u1) was sent signal 15 by")));
  EXPECT_EQ(ledger_.signalled(), 1U);
  ledger_.take_line(record(1, "u1", "released", 1));
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
}

TEST_F(ChurnLedger, MissesTheKillOfARecordThatTellsOfOne) {
  ledger_.take_line(record(1, "u1", "released", 0));
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
  ledger_.take_line(record(1, "u1", "released", 1));
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("the witness did not see")));
}

TEST_F(ChurnLedger, ExcusesNoRecordThatCameBeforeThePodWasEnded) {
  ledger_.born("u3", "late", Standing::kMayGo);
  ledger_.take_line(record(1, "u1", "killed", 1));
  ledger_.ending("u1");
  ledger_.ending("u3");
  ledger_.take_line(record(1, "u1", "released", 1));
  ledger_.take_line(record(2, "u3", "released", 1));
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("record 1 of")));
}

TEST_F(ChurnLedger, CountsARecordForProcessesThatMovedOn) {
  ledger_.moved("u1", "u3", "hog-moved");
  ledger_.was_signalled("u3", "signal 9 by process 7 (x)");
  ledger_.died("u3", kKilled);
  EXPECT_EQ(ledger_.complaints().size(), 2U);
  ledger_.take_line(record(1, "u1", "released", 1));
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
  EXPECT_EQ(ledger_.moves(), 1U);
}

TEST_F(ChurnLedger, KeepsTheProtectionOfAPodThatMoves) {
  ledger_.moved("u2", "u3", "critical-moved");
  ledger_.take_line(record(1, "u3", "released"));
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("critical-moved (u3) is protected")));
}

TEST_F(ChurnLedger, MissesTheRecordOfAPodThatCameBackAndWasKilled) {
  ledger_.ending("u1");
  ledger_.died("u1", kKilled);
  ledger_.came_back("u1");
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
  ledger_.died("u1", kKilled);
  EXPECT_THAT(ledger_.complaints(), ElementsAre(HasSubstr("hog (u1) died of signal 9 without")));
  EXPECT_EQ(ledger_.returns(), 1U);
}

TEST_F(ChurnLedger, ComplainsOfMissingLinesBrokenLinesAndOomKills) {
  ledger_.take_line(R"({"kind":"gap","lost":3})");
  ledger_.take_line(R"({"kind":"oom_kill","uid":"u1"})");
  ledger_.take_line("{\"kind\":");
  EXPECT_EQ(ledger_.complaints().size(), 3U);
}

TEST_F(ChurnLedger, CountsCrossingsAndIsContentWithOtherLines) {
  ledger_.take_line(R"({"kind":"threshold","met":true})");
  ledger_.take_line(R"({"kind":"daemon","what":"started"})");
  ledger_.take_line(R"({"kind":"decision","outcome":"held","id":1,"uid":""})");
  ledger_.take_line(R"({"kind":"oom_kill","process":"of somebody else","pod":null,"uid":null})");
  EXPECT_THAT(ledger_.complaints(), IsEmpty());
  EXPECT_EQ(ledger_.crossings(), 1U);
  EXPECT_EQ(ledger_.evictions(), 0U);
}

}  // namespace
}  // namespace evictd::churn
