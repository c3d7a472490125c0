// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/saved_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eviction/parse_thresholds.h"
#include "unit/engine/moments.h"

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
  EXPECT_NE(problem_with(to_text(state)).find("in the future"), std::string::npos);
  std::string text = to_text(full());
  text.replace(0, std::string("evictd-state 1").size(), "evictd-state 2");
  EXPECT_NE(problem_with(text).find("another version"), std::string::npos);
  EXPECT_NE(problem_with("kittens\n").find("torn, or not a state"), std::string::npos);
}

TEST(SavedState, ThatNestsTooDeepOrSaysAThingTwiceIsIgnoredAndSaysSo) {
  EXPECT_EQ(problem_with(sealed_state(std::string(1'000'000, '['))),
            "not a state file of evictd: line 2: nests deeper than 64 levels");
  EXPECT_EQ(problem_with(sealed_state(R"({"boot_id":"b00t","boot_id":"b00t"})")),
            "not a state file of evictd: line 2: the key \"boot_id\" is there twice");
}

/// What is said of a whole state in which one member is another.
std::string problem_with_member(const std::string& place, const std::string& value) {
  const std::string text = to_text(full());
  auto body = nlohmann::ordered_json::parse(text.substr(text.find('\n') + 1));
  body[nlohmann::ordered_json::json_pointer(place)] = nlohmann::ordered_json::parse(value);
  return problem_with(sealed_state(body.dump() + "\n"));
}

TEST(SavedState, WithAnInvalidValueIsIgnoredNamingPlaceAndRange) {
  const std::string begin = "not a state file of evictd: line 2: ";
  const std::string moment = "not from 0 to 2305843009213693952: ";
  const std::string number = "not from 0 to 9223372036854775807: ";
  struct Case {
    std::string place;
    std::string value;
    std::string said;
  };
  for (const Case& one : std::vector<Case>{
           {"/evictions_ns/0", "-5", "evictions_ns[0]: " + moment + "-5"},
           {"/evictions_ns/1", "1.5", "evictions_ns[1]: not a whole number: 1.5"},
           {"/evictions_ns/1", "99999999999999999999999",
            "evictions_ns[1]: not a whole number: 9.999999999999999e+22"},
           {"/evictions_ns/1", "9223372036854775808",
            "evictions_ns[1]: " + moment + "9223372036854775808"},
           {"/thresholds", "5", "thresholds: not a list: 5"},
           {"/thresholds/0/grace_ns", "-1", "thresholds[0].grace_ns: " + number + "-1"},
           {"/conditions", R"({"Foo":5})", "conditions.Foo: not a condition of a node"},
           {"/marks/0/available", "-9223372036854775808",
            "marks[0].available: not from -2305843009213693952 to 2305843009213693952: "
            "-9223372036854775808"},
           {"/in_flight/0", R"({"uid":"x"})", "in_flight[0].hierarchy: missing"},
           {"/in_flight/0/hierarchy", "4294967296",
            "in_flight[0].hierarchy: not from 0 to 4294967295: 4294967296"},
           {"/in_flight/0/kill_due_ns", "-1", "in_flight[0].kill_due_ns: " + number + "-1"},
           {"/in_flight/0/name", "[7]", "in_flight[0].name: not a text: array"},
           {"/pauses/signals", R"({"kittens":5})", "pauses.signals.kittens: not a signal"},
           {"/pauses", "null", "pauses: not a JSON object: null"},
           {"/dry_run", R"("no")", R"(dry_run: not a boolean: "no")"}}) {
    EXPECT_EQ(problem_with_member(one.place, one.value), begin + one.said);
  }
  EXPECT_EQ(problem_with(sealed_state("{}\n")), begin + "boot_id: missing");
  EXPECT_EQ(problem_with(sealed_state("[]\n")), begin + "not a JSON object");
}

TEST(SavedState, APauseAsLongAsTheClockGoesOutlivesARestart) {
  SavedState state = full();
  state.wishes.pauses.all = MonoTime(Duration::max());
  state.in_flight[0].kill_due_at = MonoTime(Duration::max());
  const Result<SavedState> read = parse_state(to_text(state), kHere, kNow);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, state);
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

TEST(SavedState, SignalDropIsRemeasuredOnlyWhileVictimHasProcesses) {
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
