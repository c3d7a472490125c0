// SPDX-License-Identifier: Apache-2.0
#include "probe/ladder_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace evictd::probe {
namespace {

LadderSearch search_of(const Options& options) {
  Result<LadderSearch> search = LadderSearch::create(options);
  EXPECT_TRUE(search) << search.error().message();
  return std::move(*search);
}

const AttachRow* current_row(const LadderSearch& search, Purpose purpose) {
  const std::vector<const AttachRow*> rows = search.current();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const AttachRow* r) { return r->purpose == purpose; });
  return row == rows.end() ? nullptr : *row;
}

const PurposeReport& report_of(const std::vector<PurposeReport>& reports, Purpose purpose) {
  return *std::find_if(reports.begin(), reports.end(),
                       [&](const PurposeReport& r) { return r.purpose == purpose; });
}

/// Where every row that is tried works.
SupportLevel level_with(const Options& options) {
  Ladder ladder;
  ladder.purposes = search_of(options).report("");
  return ladder.level();
}

TEST(AttachTable, NamesEachRowOnceAndEachProgramForOnePurpose) {
  std::set<std::pair<Purpose, std::string_view>> rows;
  std::map<std::string_view, Purpose> programs;
  for (const AttachRow& row : attach_table()) {
    EXPECT_TRUE(rows.emplace(row.purpose, row.name).second) << row.hook;
    for (const std::string_view program : row.programs) {
      if (!program.empty()) {
        EXPECT_EQ(programs.emplace(program, row.purpose).first->second, row.purpose) << program;
      }
    }
  }
}

TEST(AttachTable, SaysWhatIsLostWithoutEachPurpose) {
  for (std::size_t i = 0; i < kPurposes; ++i) {
    for (const SweepTimer timer : {SweepTimer::kRuns, SweepTimer::kNone}) {
      for (const PageHook pages : {PageHook::kRuns, PageHook::kNone}) {
        EXPECT_FALSE(
            lost_without(static_cast<Purpose>(i), {.timer = timer, .pages = pages}).empty());
      }
    }
    EXPECT_FALSE(to_string(static_cast<Purpose>(i)).empty());
  }
}

TEST(LadderSearch, BeginsWithTheBestRowOfEachPurpose) {
  const LadderSearch search = search_of({});
  EXPECT_EQ(current_row(search, Purpose::kMemoryCharge)->name, "fentry");
  EXPECT_EQ(current_row(search, Purpose::kCgroups)->name, "tp_btf");
  EXPECT_EQ(current_row(search, Purpose::kPerPageCharge), nullptr);
  EXPECT_EQ(current_row(search, Purpose::kBackstop), nullptr);
}

TEST(LadderSearch, TriesTheBackstopByOptionBestWayFirst) {
  Options options;
  options.backstop = true;
  LadderSearch search = search_of(options);
  ASSERT_NE(current_row(search, Purpose::kBackstop), nullptr);
  EXPECT_EQ(current_row(search, Purpose::kBackstop)->name, kFentryListed);
  search.reject_all(kFentryListed, "refused");
  search.reject_all(kTpBtfListed, "refused");
  EXPECT_EQ(current_row(search, Purpose::kBackstop)->name, "fentry");
  search.reject_all("fentry", "refused");
  search.reject_all("tp_btf", "refused");
  const std::vector<PurposeReport> reports = search.report("");
  EXPECT_EQ(report_of(reports, Purpose::kBackstop).lost, lost_without(Purpose::kBackstop, {}));
}

TEST(LadderSearch, LosesNothingWithoutABackstopThatNobodyWants) {
  const std::vector<PurposeReport> reports = search_of({}).report("");
  EXPECT_TRUE(report_of(reports, Purpose::kBackstop).disabled);
  EXPECT_EQ(report_of(reports, Purpose::kBackstop).lost, "");
}

TEST(LadderSearch, LosesNothingWithoutABackstopByDefault) {
  for (const bool refuses_all : {false, true}) {
    Options options;
    options.backstop = true;
    options.backstop_by_default = true;
    LadderSearch search = search_of(options);
    for (const std::string_view row : {kFentryListed, kTpBtfListed}) {
      search.reject_all(row, "refused");
    }
    if (refuses_all) {
      search.reject(*current_row(search, Purpose::kBackstop), "refused");
      search.reject(*current_row(search, Purpose::kBackstop), "refused");
    }
    Ladder ladder;
    ladder.purposes = search.report("");
    const PurposeReport& report = report_of(ladder.purposes, Purpose::kBackstop);
    EXPECT_EQ(report.chosen(), refuses_all ? "" : "fentry");
    EXPECT_EQ(report.lost, "");
    EXPECT_FALSE(report.disabled) << "it was tried";
    EXPECT_FALSE(report.is_missing());
    EXPECT_EQ(ladder.level(), SupportLevel::kFull);
  }
}

TEST(LadderSearch, MissesABackstopThatIsAskedFor) {
  const Options by_key{.backstop = true};
  const Options by_pin{
      .pins = {{Purpose::kBackstop, "fentry"}}, .backstop = true, .backstop_by_default = true};
  for (const Options& options : {by_key, by_pin}) {
    LadderSearch search = search_of(options);
    for (const std::string_view row : {kFentryListed, kTpBtfListed}) {
      search.reject_all(row, "refused");
    }
    while (const AttachRow* row = current_row(search, Purpose::kBackstop)) {
      search.reject(*row, "refused");
    }
    Ladder ladder;
    ladder.purposes = search.report("");
    EXPECT_TRUE(report_of(ladder.purposes, Purpose::kBackstop).is_missing());
    EXPECT_EQ(ladder.level(), SupportLevel::kDegraded);
  }
}

TEST(LadderSearch, GoesDownAndKeepsTheReasons) {
  LadderSearch search = search_of({});
  search.reject(*current_row(search, Purpose::kMemoryCharge), "refused");
  EXPECT_EQ(current_row(search, Purpose::kMemoryCharge)->name, "kprobe");
  search.reject(*current_row(search, Purpose::kMemoryCharge), "not built in");
  const std::vector<PurposeReport> reports = search.report("");
  const PurposeReport& charge = report_of(reports, Purpose::kMemoryCharge);
  EXPECT_EQ(charge.chosen(), "tp_btf");
  EXPECT_EQ(charge.rows[0].reason, "refused");
  EXPECT_EQ(charge.rows[1].reason, "not built in");
  EXPECT_FALSE(charge.lost.empty());
  EXPECT_TRUE(report_of(reports, Purpose::kOom).lost.empty());
}

TEST(LadderSearch, SaysWhatIsLostWhenNoRowIsLeft) {
  LadderSearch search = search_of({});
  search.reject(*current_row(search, Purpose::kSweepTimer), "");
  const std::vector<PurposeReport> reports = search.report("");
  const PurposeReport& timer = report_of(reports, Purpose::kSweepTimer);
  EXPECT_EQ(timer.chosen(), "");
  EXPECT_EQ(timer.lost, lost_without(Purpose::kSweepTimer, {}));
  EXPECT_FALSE(timer.rows.front().reason.empty());
}

TEST(LadderSearch, GivesUpARowInAllPurposesAtOnce) {
  LadderSearch search = search_of({});
  search.reject_all("fentry", "refused");
  EXPECT_EQ(current_row(search, Purpose::kMemoryCharge)->name, "kprobe");
  EXPECT_EQ(current_row(search, Purpose::kStall)->name, "tp_btf");
}

TEST(LadderSearch, TriesNothingButThePinnedRow) {
  LadderSearch search = search_of({.pins = {{Purpose::kStall, "fentry"}}});
  EXPECT_EQ(current_row(search, Purpose::kStall)->name, "fentry");
  search.reject(*current_row(search, Purpose::kStall), "refused");
  EXPECT_EQ(current_row(search, Purpose::kStall), nullptr);
}

TEST(LadderSearch, LeavesAPurposeOutThatIsPinnedToNone) {
  const LadderSearch search = search_of({.pins = {{Purpose::kOom, "none"}}});
  EXPECT_EQ(current_row(search, Purpose::kOom), nullptr);
  const std::vector<PurposeReport> reports = search.report("");
  EXPECT_TRUE(report_of(reports, Purpose::kOom).disabled);
}

TEST(LadderSearch, SaysWhatIsLostByAPinToNoneButForThePerPageHook) {
  const LadderSearch search =
      search_of({.pins = {{Purpose::kMemoryCharge, "none"}, {Purpose::kPerPageCharge, "none"}}});
  const std::vector<PurposeReport> reports = search.report("");
  EXPECT_EQ(
      report_of(reports, Purpose::kMemoryCharge).lost,
      lost_without(Purpose::kMemoryCharge, {.timer = SweepTimer::kRuns, .pages = PageHook::kNone}));
  EXPECT_EQ(report_of(reports, Purpose::kPerPageCharge).lost, "");
}

TEST(LadderSearch, CreditsTheTimerWithALookOnlyWhereThereIsOne) {
  const Options no_hooks = {
      .pins = {{Purpose::kMemoryCharge, "none"}, {Purpose::kTaskFork, "none"}}};
  Options nothing = no_hooks;
  nothing.pins[Purpose::kSweepTimer] = "none";
  for (const Purpose purpose : {Purpose::kMemoryCharge, Purpose::kTaskFork}) {
    const auto lost = [&](const Options& options, std::string_view failure) {
      return report_of(search_of(options).report(failure), purpose).lost;
    };
    EXPECT_NE(lost(no_hooks, "").find("by the timer only"), std::string::npos);
    for (const std::string& text : {lost(nothing, ""), lost(no_hooks, "no BTF"), lost({}, "no")}) {
      EXPECT_EQ(text.find("timer"), std::string::npos) << text;
      EXPECT_NE(text.find("polled"), std::string::npos) << text;
    }
  }
}

TEST(LadderSearch, SaysOfTheRowInUseWhatIsLostWithoutTheTimer) {
  const Options late = {.pins = {{Purpose::kMemoryCharge, "tp_btf"}}};
  Options alone = late;
  alone.pins[Purpose::kSweepTimer] = "none";
  const auto lost = [](const Options& options) {
    return report_of(search_of(options).report(""), Purpose::kMemoryCharge).lost;
  };
  EXPECT_NE(lost(late).find("the timer covers"), std::string::npos);
  EXPECT_EQ(lost(alone), "growth is seen once per 2 MiB; polling alone sees less");
}

TEST(LadderSearch, CreditsTheHookOfEveryPageWithTheLooksThatItTakes) {
  for (const std::string row : {"none", "tp_btf"}) {
    const Options pages = {
        .sweep = {}, .pins = {{Purpose::kMemoryCharge, row}}, .per_page_hook = true};
    Options alone = pages;
    alone.pins[Purpose::kSweepTimer] = "none";
    const auto lost = [](const Options& options, std::string_view failure) {
      return report_of(search_of(options).report(failure), Purpose::kMemoryCharge).lost;
    };
    for (const Options& options : {pages, alone}) {
      const std::string text = lost(options, "");
      EXPECT_NE(text.find("the hook of every page"), std::string::npos) << text;
      EXPECT_EQ(text.find("timer only"), std::string::npos) << text;
      EXPECT_EQ(text.find("2 MiB"), std::string::npos) << text;
    }
    EXPECT_EQ(lost(alone, "").find("timer"), std::string::npos) << lost(alone, "");
    EXPECT_EQ(lost(pages, "no BTF").find("page"), std::string::npos) << lost(pages, "no BTF");
  }
}

TEST(LadderSearch, IsDegradedByAPinToNoneUnlessNothingIsLost) {
  EXPECT_EQ(level_with({.pins = {{Purpose::kMemoryCharge, "none"}}}), SupportLevel::kDegraded);
  EXPECT_EQ(level_with({.pins = {{Purpose::kOom, "none"}}}), SupportLevel::kDegraded);
  EXPECT_EQ(level_with({.pins = {{Purpose::kPerPageCharge, "none"}}}), SupportLevel::kFull);
}

TEST(LadderSearch, TurnsThePerPageHookOnByOptionOrPin) {
  EXPECT_NE(current_row(search_of({.per_page_hook = true}), Purpose::kPerPageCharge), nullptr);
  EXPECT_NE(current_row(search_of({.pins = {{Purpose::kPerPageCharge, "tp_btf"}}}),
                        Purpose::kPerPageCharge),
            nullptr);
}

TEST(LadderSearch, RefusesAPinThatNamesNoRowAndSaysWhichAreThere) {
  const Result<LadderSearch> search =
      LadderSearch::create({.pins = {{Purpose::kMemoryCharge, "uprobe"}}});
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().code, Errc::kInvalid);
  for (const std::string word : {"memory-charge", "uprobe", "none", "fentry", "kprobe", "tp_btf"}) {
    EXPECT_NE(search.error().message().find(word), std::string::npos) << word;
  }
}

TEST(LadderSearch, ChoosesNothingAfterAFailure) {
  for (const PurposeReport& report : search_of({}).report("no BTF")) {
    EXPECT_EQ(report.chosen(), "");
  }
}

TEST(LadderSearch, GivesEveryRowTheFailureForItsReasonUnlessItHasAnother) {
  const LadderSearch pinned = search_of({.pins = {{Purpose::kOom, "none"}}});
  for (const PurposeReport& report : pinned.report("no BTF")) {
    for (const RowReport& row : report.rows) {
      EXPECT_EQ(row.reason, report.disabled ? "not tried: switched off" : "no BTF")
          << to_string(report.purpose) << ' ' << row.row;
    }
  }
}

TEST(LadderSearch, FindsTheRowOfAProgram) {
  const LadderSearch search = search_of({});
  EXPECT_EQ(search.row_of("psi_leave_fentry")->purpose, Purpose::kStall);
  EXPECT_EQ(search.row_of("memcg_state_tp"), nullptr) << "not its turn yet";
  EXPECT_EQ(search.row_of(""), nullptr);
}

}  // namespace
}  // namespace evictd::probe
