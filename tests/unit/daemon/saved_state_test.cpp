// SPDX-License-Identifier: Apache-2.0
#include "daemon/saved_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "eviction/parse_thresholds.h"
#include "moments.h"

namespace evictd::daemon {
namespace {

using std::chrono::seconds;

const StateOrigin kHere{.boot_id = "b00t", .pod_root = "/kubepods", .pod_root_id = 77};

SavedState full() {
  SavedState state;
  state.origin = kHere;
  state.thresholds = {{.signal = "memory.available",
                       .value = "1Gi",
                       .grace_period = seconds(90),
                       .first_observed = MonoTime(seconds(950)),
                       .past_grace = true}};
  state.conditions_last_observed[1] = MonoTime(seconds(999));
  state.marks = {
      {.signal = "memory.available", .mark = {.at = MonoTime(seconds(990)), .available = 12345}}};
  state.in_flight = {{.uid = "u-\"1\"",
                      .pod = {.hierarchy = 9, .id = 123456789},
                      .ns = "team",
                      .name = "web",
                      .signal = "memory.available",
                      .threshold = "1Gi",
                      .local_limit = "",
                      .escalated = true,
                      .hard = false,
                      .killed = false,
                      .began_at = MonoTime(seconds(990)),
                      .kill_due_at = MonoTime(seconds(1020)),
                      .killed_at = {},
                      .for_disk = true,
                      .below_pod_root = true,
                      .gone = true}};
  state.evictions = {MonoTime(seconds(960)), MonoTime(seconds(990))};
  state.wishes.pauses.all = MonoTime(seconds(2000));
  state.wishes.pauses.by_signal[2] = MonoTime(seconds(1500));
  state.wishes.dry_run = true;
  return state;
}

std::string problem_with(const std::string& text) {
  const Result<SavedState> state = parse_state(text, kHere, kNow);
  return state ? "" : state.error().message();
}

TEST(SavedState, ReadsAsItWasWritten) {
  for (const SavedState& state : {full(), [] {
                                    SavedState empty;
                                    empty.origin = kHere;
                                    return empty;
                                  }()}) {
    const Result<SavedState> read = parse_state(to_text(state), kHere, kNow);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, state);
  }
}

TEST(SavedState, TornAtAnyByteIsIgnored) {
  const std::string whole = to_text(full());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(problem_with(whole.substr(0, size)), "") << size;
  }
}

TEST(SavedState, WithAnyByteChangedIsIgnored) {
  const std::string whole = to_text(full());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(problem_with(changed), "") << i;
  }
}

TEST(SavedState, OfAnotherBootPodRootVersionOrTimeIsIgnoredAndSaysSo) {
  SavedState state = full();
  state.origin.boot_id = "other";
  EXPECT_NE(problem_with(to_text(state)).find("another boot"), std::string::npos);
  state = full();
  state.origin.pod_root_id = 78;
  EXPECT_NE(problem_with(to_text(state)).find("another pod root"), std::string::npos);
  state = full();
  state.thresholds[0].first_observed = kNow + seconds(1);
  EXPECT_NE(problem_with(to_text(state)).find("still to come"), std::string::npos);
  std::string text = to_text(full());
  text.replace(0, std::string("evictd-state 1").size(), "evictd-state 2");
  EXPECT_NE(problem_with(text).find("another version"), std::string::npos);
  EXPECT_NE(problem_with("kittens\n").find("torn, or no state"), std::string::npos);
}

TEST(SavedState, ThatNestsTooDeepOrSaysAThingTwiceIsIgnoredAndSaysSo) {
  EXPECT_EQ(problem_with(sealed_state(std::string(1'000'000, '['))),
            "no state of evictd: line 2: nests deeper than 64 levels");
  EXPECT_EQ(problem_with(sealed_state(R"({"boot_id":"b00t","boot_id":"b00t"})")),
            "no state of evictd: line 2: the key \"boot_id\" is there twice");
}

eviction::ThresholdTable table_of(const std::string& soft) {
  eviction::ThresholdTexts texts;
  texts.hard = {{"memory.available", "1Gi"}};
  texts.soft = {{"memory.available", soft}};
  texts.soft_grace_period = {{"memory.available", "90s"}};
  return eviction::ThresholdTable::create(
             eviction::parse_thresholds(texts, eviction::Compat::k1_32).value())
      .value();
}

std::size_t soft_place(const eviction::ThresholdTable& table) {
  return table[0].is_hard() ? 1 : 0;
}

TEST(SavedState, TakesTimersOverForThresholdsThatAreStillConfigured) {
  const eviction::ThresholdTable table = table_of("2Gi");
  const std::size_t soft = soft_place(table);
  eviction::PassState before;
  before.first_observed[soft] = MonoTime(seconds(900));
  before.past_grace.add(soft);
  before.last_evictions[1] = eviction::EvictionMark{.at = MonoTime(seconds(950)), .available = 7};
  SavedState saved;
  save_pass(before, table, saved);
  std::vector<std::string> dropped;

  const eviction::PassState after = restore_pass(saved, table, dropped);

  EXPECT_EQ(after.first_observed, before.first_observed);
  EXPECT_EQ(after.past_grace, before.past_grace);
  EXPECT_EQ(after.last_evictions, before.last_evictions);
  EXPECT_TRUE(dropped.empty());
}

TEST(SavedState, HowFarASignalFellIsMeasuredAnewOnlyWhileAVictimHasProcesses) {
  const eviction::ThresholdTable table = table_of("2Gi");
  for (const bool gone : {false, true}) {
    SavedState saved = full();
    saved.in_flight[0].gone = gone;
    std::vector<std::string> dropped;
    const eviction::PassState after = restore_pass(saved, table, dropped);
    const auto memory = static_cast<std::size_t>(eviction::Signal::kMemoryAvailable);
    EXPECT_EQ(after.last_evictions[memory].has_value(), gone);
  }
}

TEST(SavedState, NamesTimersOfThresholdsThatAreGone) {
  const eviction::ThresholdTable table = table_of("2Gi");
  eviction::PassState before;
  before.first_observed[soft_place(table)] = MonoTime(seconds(900));
  SavedState saved;
  save_pass(before, table, saved);
  std::vector<std::string> dropped;

  const eviction::PassState after = restore_pass(saved, table_of("3Gi"), dropped);

  EXPECT_EQ(after.first_observed, eviction::FirstObserved{});
  EXPECT_EQ(dropped, std::vector<std::string>{"memory.available 2Gi"});
}

}  // namespace
}  // namespace evictd::daemon
