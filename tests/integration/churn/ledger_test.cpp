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

std::string record(int id, const std::string& uid, const std::string& state) {
  return R"({"kind":"decision","outcome":"evicted","id":)" + std::to_string(id) + R"(,"uid":")" +
         uid + R"(","pod":"default/x","state":")" + state + R"("})";
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
