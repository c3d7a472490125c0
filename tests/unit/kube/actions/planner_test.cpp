// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/planner.h"

#include "made.h"

namespace evictd::kube::test {
namespace {

TEST(ActionPlan, AnEvictionIsMadeFinalBeforeItIsTold) {
  const TakenLine taken = planned(evicted(7, "u"), {});
  ASSERT_EQ(taken.entries.size(), 2U);
  ASSERT_EQ(taken.entries[0].steps.size(), 2U);
  EXPECT_EQ(taken.entries[0].steps[0].kind, Step::Kind::kPodStatus);
  EXPECT_EQ(taken.entries[0].steps[1].kind, Step::Kind::kEvict);
  ASSERT_EQ(taken.entries[1].steps.size(), 2U);
  EXPECT_TRUE(taken.entries[1].steps[0].event.is_on_node);
  EXPECT_TRUE(taken.entries[1].steps[0].event.annotations.empty());
  EXPECT_EQ(taken.entries[1].steps[1].event.annotations.at("starved_resource"), "memory");
  EXPECT_LT(taken.entries[0].number, taken.entries[1].number);
}

TEST(ActionPlan, EventsOfOneMomentHaveNamesOfTheirOwn) {
  JournalLine line = evicted(7, "u");
  line.events[0].is_on_node = false;
  const TakenLine taken = planned(line, {});
  EXPECT_NE(taken.entries[1].steps[0].event.name, taken.entries[1].steps[1].event.name);
}

TEST(ActionPlan, ALaterLineOfADecisionCallsForNothing) {
  QueueState state;
  take(state, evicted(7, "u"));
  JournalLine end = evicted(8, "u");
  end.id = 7;
  end.state = "released";
  const TakenLine taken = planned(end, state);
  EXPECT_TRUE(taken.entries.empty());
  EXPECT_FALSE(taken.victim);
}

TEST(ActionPlan, APodThatWasSparedIsNotEvicted) {
  JournalLine end = evicted(8, "u");
  end.state = "exceeded_grace";
  end.is_spared = true;
  const TakenLine taken = planned(end, {});
  EXPECT_FALSE(taken.victim);
  for (const Entry& entry : taken.entries) {
    for (const Step& step : entry.steps) {
      EXPECT_EQ(step.kind, Step::Kind::kEvent);
    }
  }
}

TEST(ActionPlan, AnEvictionFoundAtARestartIsTheOneBefore) {
  QueueState state;
  take(state, evicted(7, "u"));
  JournalLine found = evicted(8, "u");
  found.trigger = "restart";
  EXPECT_TRUE(planned(found, state).entries.empty());
  found.uid = "another";
  EXPECT_EQ(planned(found, state).entries.size(), 2U);
}

TEST(ActionPlan, AnEscalationAsksForLessGraceAlone) {
  JournalLine line = evicted(7, "u");
  line.outcome = "escalated";
  line.events.clear();
  const TakenLine taken = planned(line, {});
  ASSERT_EQ(taken.entries.size(), 1U);
  ASSERT_EQ(taken.entries[0].steps.size(), 1U);
  EXPECT_EQ(taken.entries[0].steps[0].kind, Step::Kind::kEvict);
}

TEST(ActionPlan, APassWithoutAVictimTellsOfTheNode) {
  JournalLine line = evicted(7, "");
  line.state.clear();
  line.name.clear();
  line.ns.clear();
  line.events.resize(1);
  const TakenLine taken = planned(line, {});
  ASSERT_EQ(taken.entries.size(), 1U);
  EXPECT_EQ(taken.entries[0].steps.size(), 1U);
  EXPECT_FALSE(taken.victim);
}

TEST(ActionPlan, AVictimThatIsNoPodOfTheApiGetsNoRequest) {
  JournalLine line = evicted(7, "u");
  line.ns = "../kube-system";
  PlannerCounters counters;
  const TakenLine taken = plan(line, {}, {.node = "node1"}, counters);
  ASSERT_EQ(taken.entries.size(), 1U);
  EXPECT_EQ(taken.entries[0].steps.size(), 1U) << "the event on the node";
  EXPECT_EQ(counters.unnamed, 1U);
}

TEST(ActionPlan, PressureIsKeptUntilEvictdStartsAgain) {
  QueueState state;
  JournalLine told{.kind = JournalLine::Kind::kCondition, .seq = 5, .time = "t5"};
  told.name = "DiskPressure";
  told.is_set = true;
  take(state, told);
  EXPECT_TRUE(state.pressure().kinds[1].is_set);
  EXPECT_EQ(state.pressure().kinds[1].since, "t5");
  EXPECT_FALSE(planned(told, state).pressure) << "told again";
  QueueState read;
  for (const std::string& text : state.texts()) {
    ASSERT_TRUE(read.apply(text));
  }
  EXPECT_EQ(read.pressure(), state.pressure());
  take(state, {.kind = JournalLine::Kind::kStarted, .seq = 6, .time = "t6"});
  EXPECT_FALSE(state.pressure().kinds[1].is_set);
}

TEST(ActionPlan, PressureIsAsItIsToldBehindAGap) {
  QueueState state;
  JournalLine told{.kind = JournalLine::Kind::kCondition, .seq = 5, .time = "t5"};
  told.name = "DiskPressure";
  told.is_set = true;
  take(state, told);
  JournalLine gap{.kind = JournalLine::Kind::kSkipped, .first = 9};
  EXPECT_FALSE(planned(gap, state).pressure) << "it says nothing of it";
  gap.conditions = {{"DiskPressure", false}, {"MemoryPressure", true}};
  const auto pressure = planned(gap, state).pressure;
  ASSERT_TRUE(pressure);
  EXPECT_TRUE(pressure->kinds[0].is_set);
  EXPECT_FALSE(pressure->kinds[1].is_set);
}

TEST(ActionPlan, TheSameEventAgainIsCounted) {
  QueueState state;
  take(state, evicted(7, "u"));
  JournalLine again = evicted(9, "v");
  again.time = "2026-11-20T22:09:00Z";
  const TakenLine taken = planned(again, state);
  const EventNote& first = state.entries().at(7 * kEntriesOfALine + 1).steps[0].event;
  const EventNote& counted = taken.entries[1].steps[0].event;
  EXPECT_EQ(counted.count, 2);
  EXPECT_EQ(counted.name, first.name);
  EXPECT_EQ(counted.first_time, "2026-11-20T22:03:11Z");
  EXPECT_EQ(counted.last_time, "2026-11-20T22:09:00Z");
  EXPECT_EQ(taken.entries[1].steps[1].event.count, 1) << "of another pod";
}

}  // namespace
}  // namespace evictd::kube::test
