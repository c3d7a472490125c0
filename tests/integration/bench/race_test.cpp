// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cast/cast.h"
#include "oom_race/managed_oom.h"
#include "oom_race/plan.h"
#include "oom_race/trial.h"

namespace evictd::bench {
namespace {

TEST(Selection, TakesWholeWordsOnly) {
  const Selection oomd{{"oomd"}, {}};
  EXPECT_TRUE(oomd.wants("oomd full 4k"));
  EXPECT_FALSE(oomd.wants("systemd-oomd full 4k"));
  EXPECT_FALSE((Selection{{"oomd"}, {"4k"}}).wants("oomd full 4k"));
}

TEST(RacePlan, HasEveryRacerInEverySceneAndEachTitleOnce) {
  std::set<std::string> titles;
  for (const std::vector<RaceRow>& rows : race_plan({})) {
    EXPECT_EQ(rows.size(), 8U);
    for (const RaceRow& row : rows) {
      EXPECT_TRUE(titles.insert(title_of(row)).second) << title_of(row);
    }
  }
  // Eight racers, three rates, two page sizes, two thresholds, with and without swap.
  EXPECT_EQ(titles.size(), 8U * 3 * 2 * 2 * 2);
}

TEST(RacePlan, OneRowCanBeChosenByItsWords) {
  const auto groups = race_plan({{"evictd", "full", "thp", "5%", "zram"}, {"100Mi"}});
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].size(), 1U);
  EXPECT_EQ(title_of(groups[0][0]), "evictd full thp 5% zram");
  EXPECT_EQ(params_of(groups[0][0])["swap"], "zram");
  EXPECT_EQ(threshold_of(groups[0][0].scene, 2_GiB), Bytes{(2_GiB).value / 20});
}

TEST(RaceOutcome, IsWonOnlyByAnEvictionOfTheHogAlone) {
  RaceOutcome outcome;
  EXPECT_FALSE(outcome.won());
  outcome.end = HogEnd::kEvicted;
  EXPECT_TRUE(outcome.won());
  outcome.burstable_died = true;
  EXPECT_FALSE(outcome.won());
  outcome.burstable_died = false;
  outcome.oom_kills = 1;
  EXPECT_FALSE(outcome.won());
  outcome.oom_kills = 0;
  outcome.end = HogEnd::kOomKilled;
  EXPECT_FALSE(outcome.won());
}

TEST(BurstableOomScore, FallsWithTheRequestAndStaysBetweenTheOtherClasses) {
  EXPECT_EQ(burstable_oom_score_adj(Bytes{0}, 2_GiB), 999);
  EXPECT_EQ(burstable_oom_score_adj(1_GiB, 2_GiB), 500);
  EXPECT_EQ(burstable_oom_score_adj(2_GiB, 2_GiB), 2);
}

TEST(ManagedOomReply, NamesTheCgroupForPressureAndForSwapAndEndsWithZero) {
  const std::string reply = managed_oom_reply("/x/kubepods");
  ASSERT_EQ(reply.back(), '\0');
  const nlohmann::json told = nlohmann::json::parse(reply.substr(0, reply.size() - 1));
  EXPECT_TRUE(told["continues"]);
  ASSERT_EQ(told["parameters"]["cgroups"].size(), 2U);
  for (const nlohmann::json& cgroup : told["parameters"]["cgroups"]) {
    EXPECT_EQ(cgroup["path"], "/x/kubepods");
    EXPECT_EQ(cgroup["mode"], "kill");
  }
}

}  // namespace
}  // namespace evictd::bench
