// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cast/cast.h"
#include "cast/racing_daemon.h"
#include "config/config.h"
#include "oom_race/calm.h"
#include "oom_race/managed_oom.h"
#include "oom_race/plan.h"
#include "oom_race/protected_cgroup.h"
#include "oom_race/tally.h"
#include "oom_race/trial.h"
#include "stage/child.h"
#include "stage/scratch_directory.h"
#include "stage/text_file.h"

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
  for (const std::vector<RaceRun>& runs : race_plan({})) {
    // Six ways of evictd with two thresholds, four rivals.
    EXPECT_EQ(runs.size(), 16U);
    for (const RaceRun& run : runs) {
      for (const RaceRow& row : run.rows) {
        EXPECT_TRUE(titles.insert(title_of(row)).second) << title_of(row);
      }
    }
  }
  // Ten racers, three rates, two page sizes, two thresholds; no swap, zram, a swap file.
  EXPECT_EQ(titles.size(), 10U * 3 * 2 * 2 * 3);
}

std::vector<std::string> racers_of(const std::vector<RaceRun>& runs) {
  std::vector<std::string> racers;
  racers.reserve(runs.size());
  for (const RaceRun& run : runs) {
    racers.emplace_back(name_of(run.first().racer));
  }
  return racers;
}

TEST(RacePlan, RacerOrderDiffersPerGroupButNotPerSitting) {
  const auto groups = race_plan({});
  ASSERT_GT(groups.size(), 1U);
  EXPECT_NE(racers_of(groups[0]), racers_of(groups[1]));
  const auto second = race_plan({{"300MiB/s", "4k", "noswap"}, {}});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(racers_of(second[0]), racers_of(groups[1]));
}

TEST(RacePlan, ThresholdUnawareRacerRunsOnceForBothThresholds) {
  for (const std::vector<RaceRun>& runs : race_plan({{"full", "4k", "noswap"}, {}})) {
    for (const RaceRun& run : runs) {
      EXPECT_EQ(run.rows.size(), is_evictd(run.first().racer) ? 1U : 2U) << title_of(run.first());
      for (const RaceRow& row : run.rows) {
        EXPECT_EQ(row.racer, run.first().racer);
        EXPECT_EQ(params_of(row)["pages"], "4k");
      }
    }
  }
}

TEST(RacePlan, OneRowCanBeChosenByItsWords) {
  const auto groups = race_plan({{"evictd", "full", "thp", "5%", "zram"}, {"100Mi"}});
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].size(), 1U);
  ASSERT_EQ(groups[0][0].rows.size(), 1U);
  const RaceRow& row = groups[0][0].first();
  EXPECT_EQ(title_of(row), "evictd full thp 5% zram");
  EXPECT_EQ(params_of(row)["swap"], "zram");
  EXPECT_EQ(threshold_of(row.scene, 2_GiB), Bytes{(2_GiB).value / 20});
}

TEST(RacePlan, OfARunWithTwoRowsOneCanBeChosen) {
  const auto groups = race_plan({{"oomd", "full", "4k", "5%", "noswap"}, {}});
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].size(), 1U);
  ASSERT_EQ(groups[0][0].rows.size(), 1U);
  EXPECT_EQ(title_of(groups[0][0].first()), "oomd full 4k 5% noswap");
}

TEST(RaceTally, ReportsOneTrialInEveryRowOfItsRunWithItsOwnCrossing) {
  const RaceScene large{.threshold = "100Mi"};
  const RaceScene small{.threshold = "5%"};
  const RaceRun run{{RaceRow{large, Racer::kEarlyoom}, RaceRow{small, Racer::kEarlyoom}}};
  RaceTally tally{run};
  RaceOutcome outcome;
  outcome.end = HogEnd::kEvicted;
  outcome.swap_used_at_start = 3_MiB;
  outcome.from_crossing_ms = {7.0, 5.0};
  tally.add(outcome);
  outcome.from_crossing_ms = {8.0, std::nullopt};
  tally.add(outcome);
  Report report{"oom_race", Report::Lines::kNone};
  tally.report_to(report);
  EXPECT_EQ(report.value("race", params_of({large, Racer::kEarlyoom}), "n"), 2);
  EXPECT_EQ(report.value("race", params_of({large, Racer::kEarlyoom}), "max"), 8);
  EXPECT_EQ(report.value("race", params_of({small, Racer::kEarlyoom}), "n"), 1);
  EXPECT_EQ(report.value("race", params_of({small, Racer::kEarlyoom}), "max"), 5);
}

TEST(RacePlan, OnlyKubeletNamedRacersReadMemoryAsTheKubelet) {
  EXPECT_EQ(memory_source_of(Racer::kEvictd), "memAvailable");
  EXPECT_EQ(memory_source_of(Racer::kEvictdGrace), "memAvailable");
  EXPECT_EQ(memory_source_of(Racer::kEvictdBridge), "memAvailable");
  EXPECT_EQ(memory_source_of(Racer::kEvictdPoll), "memAvailable");
  EXPECT_EQ(memory_source_of(Racer::kEvictdKubelet), "kubelet");
  EXPECT_EQ(memory_source_of(Racer::kEvictdKubeletGrace), "kubelet");
}

config::Settings settings_of(EvictdMode mode) {
  const Result<config::Config> config =
      config::parse(racing_config({mode,
                                   "/race",
                                   "/programs",
                                   "/run/race",
                                   "/run/race/manifests",
                                   {{"memory.available", "100Mi"}}}),
                    "evictd.yaml", {});
  EXPECT_TRUE(config) << config.error().message();
  return config ? config->settings() : config::Settings{};
}

TEST(RacingConfig, BridgesTheGraceOfThatRacerAlone) {
  EXPECT_EQ(settings_of(EvictdMode::kBpfBridge).grace_bridge, config::GraceBridge::kMemoryHigh);
  EXPECT_EQ(settings_of(EvictdMode::kBpfGrace).grace_bridge, config::GraceBridge::kOff);
  EXPECT_EQ(settings_of(EvictdMode::kBpf).grace_bridge, config::GraceBridge::kOff);
}

bool has_no_grace(EvictdMode mode) {
  return settings_of(mode).hard_eviction.grace_period == std::chrono::seconds{0};
}

TEST(RacingConfig, HasNoGraceOnlyWhereItsModeSaysSo) {
  EXPECT_TRUE(has_no_grace(EvictdMode::kBpf));
  EXPECT_TRUE(has_no_grace(EvictdMode::kPoll));
  EXPECT_FALSE(has_no_grace(EvictdMode::kBpfGrace));
  EXPECT_FALSE(has_no_grace(EvictdMode::kBpfBridge));
}

/// The count of that name in the only row.
double count_in(const RaceTally& tally, const std::string& name) {
  Report report{"oom_race", Report::Lines::kNone};
  tally.report_to(report);
  const nlohmann::json whole = nlohmann::json::parse(report.text());
  for (const nlohmann::json& pair : whole["rows"][0]["counts"]) {
    if (pair[0].get<std::string>() == name) {
      return pair[1].get<double>();
    }
  }
  ADD_FAILURE() << "no count " << name;
  return -1;
}

RaceOutcome evicted() {
  RaceOutcome outcome;
  outcome.end = HogEnd::kEvicted;
  outcome.from_crossing_ms = {1.0};
  return outcome;
}

TEST(RaceTally, CountsWhatDiedBetweenTrialsApartFromWhatDiedInThem) {
  RaceTally tally{RaceRun{{RaceRow{RaceScene{}, Racer::kEvictd}}}};
  tally.count_dead_between(0);
  RaceOutcome deadly = evicted();
  deadly.burstable_died = true;
  tally.add(deadly);
  // The one of the trial and one that died later; then both live again and one dies.
  tally.count_dead_between(2);
  tally.count_dead_between(0);
  tally.add(evicted());
  tally.count_dead_between(1);
  EXPECT_EQ(count_in(tally, "burstable died"), 1);
  EXPECT_EQ(count_in(tally, "died between trials"), 2);
  EXPECT_EQ(count_in(tally, "won"), 1);
}

TEST(RaceTally, CountsOomKillsOutsideOfTrialsAndDeathsOfTheRacer) {
  RaceTally tally{RaceRun{{RaceRow{RaceScene{}, Racer::kEvictd}}}};
  RaceOutcome killing = evicted();
  killing.oom_kills = 2;
  tally.add(killing);
  tally.add_oom_kills_of_run(5);
  tally.add_death_of_contestant();
  EXPECT_EQ(count_in(tally, "OOM kills"), 2);
  EXPECT_EQ(count_in(tally, "OOM kills between trials"), 3);
  EXPECT_EQ(count_in(tally, "racer died"), 1);
}

TEST(RaceTally, SaysHowManyTrialsWereVoidAndWhy) {
  RaceTally tally{RaceRun{{RaceRow{RaceScene{}, Racer::kEvictd}}}};
  tally.add(VoidTrials{2, "no room"});
  EXPECT_EQ(count_in(tally, "void"), 2);
  Report report{"oom_race", Report::Lines::kNone};
  tally.report_to(report);
  EXPECT_NE(report.text().find("2 void trials made again, the last because: no room"),
            std::string::npos);
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

constexpr const char* kPressure =
    "some avg10=61.20 avg60=20.00 avg300=5.00 total=1234\n"
    "full avg10=12.50 avg60=10.00 avg300=2.00 total=567\n";

TEST(Calm, ReadsTheShareInWhichAllWaited) {
  EXPECT_EQ(full_avg10(kPressure).value(), 12.5);
  EXPECT_EQ(full_avg10("some avg10=1.00\n").error().code, Errc::kMalformed);
  EXPECT_EQ(full_avg10("full avg10=\n").error().code, Errc::kMalformed);
}

TEST(Calm, IsOnceTheRestAfterAKillIsOverAndPressureIsLow) {
  const MonoTime killed{std::chrono::seconds{100}};
  EXPECT_EQ(remaining_rest(killed, killed + std::chrono::seconds{5}), std::chrono::seconds{10});
  EXPECT_EQ(remaining_rest(killed, killed + std::chrono::seconds{20}), Duration{0});
  EXPECT_EQ(remaining_rest(std::nullopt, killed), Duration{0});
  EXPECT_FALSE(is_calm(killed, killed + std::chrono::seconds{14}, 0));
  EXPECT_FALSE(is_calm(killed, killed + std::chrono::seconds{15}, 5));
  EXPECT_TRUE(is_calm(killed, killed + std::chrono::seconds{15}, 1));
  EXPECT_TRUE(is_calm(std::nullopt, killed, 0));
}

TEST(Calm, IsAtOnceWhereNobodyWasKilledAndNoPressureWasYet) {
  EXPECT_TRUE(await_calm("/nonexistent/memory.pressure", std::nullopt));
}

TEST(ProtectedCgroup, ThatCannotBeProtectedIsNotLeftBehind) {
  const Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-test-");
  ASSERT_TRUE(scratch) << scratch.error().message();
  const std::filesystem::path directory = scratch->path() / "rival";
  // No cgroup, so it has no memory.min.
  const Result<ProtectedCgroup> made = ProtectedCgroup::create(directory, {64_MiB, 64_MiB});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("memory.min"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(ProtectedCgroup, IsEnteredBeforeTheProgramRunsWithItsArguments) {
  const Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-test-");
  ASSERT_TRUE(scratch) << scratch.error().message();
  const std::filesystem::path processes = scratch->path() / "cgroup.procs";
  const std::filesystem::path output = scratch->path() / "output";
  Result<stage::Child> child = stage::Child::start(
      {.argv = entering(processes, {"/bin/cat", processes, "/dev/null"}), .output = output});
  ASSERT_TRUE(child) << child.error().message();
  const Result<stage::ChildExit> end = child->wait(std::chrono::seconds{60});
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(end->status, 0);
  EXPECT_EQ(stage::read_text(output).value(), "0\n");
}

TEST(ProtectedCgroup, HasWhatTheUnitsOfThoseRivalsHave) {
  EXPECT_EQ(protection_of(Racer::kSystemdOomd)->min, 64_MiB);
  EXPECT_EQ(protection_of(Racer::kSystemdOomd)->low, 64_MiB);
  EXPECT_EQ(protection_of(Racer::kOomd)->min, Bytes{0});
  EXPECT_EQ(protection_of(Racer::kOomd)->low, 64_MiB);
  EXPECT_FALSE(protection_of(Racer::kEvictd));
  EXPECT_FALSE(protection_of(Racer::kEarlyoom));
}

}  // namespace
}  // namespace evictd::bench
