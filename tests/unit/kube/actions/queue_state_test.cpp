// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/queue_state.h"

#include "made.h"

namespace evictd::kube::test {
namespace {

QueueState read_back(const QueueState& state) {
  QueueState read;
  for (const std::string& text : state.texts()) {
    const Result<> applied = read.apply(text);
    EXPECT_TRUE(applied) << text;
  }
  return read;
}

QueueState with_three() {
  QueueState state;
  EXPECT_TRUE(state.apply(QueueState::begin_text("2026-01-01T00:00:00Z")));
  for (const std::uint64_t seq : {5U, 7U, 9U}) {
    take(state, evicted(seq, "u" + std::to_string(seq)));
  }
  return state;
}

TEST(QueueState, IsReadBackAsItWas) {
  QueueState state = with_three();
  ASSERT_TRUE(state.apply(QueueState::done_text(5 * kEntriesOfALine, 1)));
  const QueueState read = read_back(state);
  EXPECT_EQ(read.texts(), state.texts());
  EXPECT_EQ(read.since(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(read.cursor(), 9U);
  EXPECT_EQ(read.entries().size(), 6U);
  EXPECT_EQ(read.entries().at(5 * kEntriesOfALine).done, 1U);
  EXPECT_TRUE(read.knows_decision({.uid = "u7", .id = 7}));
  EXPECT_FALSE(read.knows_decision({.uid = "u7", .id = 8}));
}

TEST(QueueState, AnEntryThatIsDoneIsForgottenAndItsVictimIsNot) {
  QueueState state = with_three();
  ASSERT_TRUE(state.apply(QueueState::done_text(7 * kEntriesOfALine, 2)));
  ASSERT_TRUE(state.apply(QueueState::done_text(7 * kEntriesOfALine, 2))) << "told twice";
  EXPECT_EQ(state.entries().count(7 * kEntriesOfALine), 0U);
  EXPECT_TRUE(read_back(state).knows_victim("u7"));
}

TEST(QueueState, AnOlderEntryThatWaitsCountsNoEventBack) {
  QueueState state = with_three();
  for (const std::uint64_t seq : {7U, 9U}) {
    ASSERT_TRUE(state.apply(QueueState::done_text(seq * kEntriesOfALine + 1, 2)));
  }
  const JournalLine line = evicted(11, "u11");
  EXPECT_EQ(planned(line, read_back(state)).entries[1].steps[0].event.count, 4);
}

TEST(QueueState, RefusesWhatIsNoneOfItsTexts) {
  QueueState state = with_three();
  const std::vector<std::string> before = state.texts();
  for (const char* const text :
       {"", "x", "[]", R"({"version":2})", R"({"entries":[5]})", R"({"entries":{"a":1}})",
        R"({"seq":99,"entries":[{"number":1}]})"}) {
    EXPECT_FALSE(state.apply(text)) << text;
    EXPECT_EQ(state.texts(), before) << text;
  }
}

TEST(QueueState, RefusesAnEntryOfWhichAnAddressWouldLeadElsewhere) {
  QueueState state;
  TakenLine line = planned(evicted(5, "u"), state);
  line.entries[0].name = "../../nodes/x";
  EXPECT_FALSE(state.apply(QueueState::taken_text(line)));
  line.entries[0].name = "p";
  line.entries[0].uid = "a/b";
  EXPECT_FALSE(state.apply(QueueState::taken_text(line)));
}

}  // namespace
}  // namespace evictd::kube::test
