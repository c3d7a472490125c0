// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/eviction_loops.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "made.h"

namespace evictd::kube::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Controller replica_set(const std::string& name) {
  return {.api_version = "apps/v1",
          .kind = "ReplicaSet",
          .ns = "n",
          .name = name,
          .uid = "uid-" + name};
}

class EvictionLooping : public testing::Test {
 protected:
  /// A pod of the controller is evicted. Whether that made a loop.
  bool evict(const std::string& controller, Duration after) {
    const ControlledEviction eviction{.controller = replica_set(controller),
                                      .pod_uid = "pod-" + std::to_string(++id_),
                                      .id = id_,
                                      .at = start_ + after};
    const bool is_loop = loops_.closes_loop(eviction);
    loops_.take(eviction);
    return is_loop;
  }
  /// Three at once.
  bool loop(const std::string& controller, Duration after) {
    evict(controller, after);
    evict(controller, after);
    return evict(controller, after);
  }
  [[nodiscard]] std::optional<Duration> damped_for(Duration after) const {
    const std::optional<WallTime> until = loops_.damped_until(start_ + after);
    return until ? std::optional(*until - (start_ + after)) : std::nullopt;
  }

  WallTime start_ = at("2026-11-20T22:00:00Z");
  std::uint64_t id_ = 0;
  EvictionLoops loops_;
};

TEST_F(EvictionLooping, IsDampedAlsoAfterOneOfAClockThatWasAhead) {
  EXPECT_TRUE(loop("a", hours(24 * 365)));
  EXPECT_TRUE(loop("b", minutes(0)));
  EXPECT_TRUE(damped_for(minutes(0)));
}

TEST_F(EvictionLooping, IsThreeEvictionsWithinTenMinutesEachOfWhichCountsOnce) {
  EXPECT_FALSE(evict("a", minutes(0)));
  EXPECT_FALSE(evict("a", minutes(9)));
  EXPECT_FALSE(evict("a", minutes(11))) << "the first one is too long ago";
  EXPECT_TRUE(evict("a", minutes(12)));
  EXPECT_FALSE(evict("a", minutes(13)));
  EXPECT_FALSE(evict("a", minutes(14)));
  EXPECT_TRUE(evict("a", minutes(15)));
  ASSERT_EQ(loops_.controllers().size(), 1U);
  EXPECT_EQ(loops_.controllers()[0].loops, 2U);
}

TEST_F(EvictionLooping, IsOfOneController) {
  EXPECT_FALSE(evict("a", minutes(0)));
  EXPECT_FALSE(evict("b", minutes(0)));
  EXPECT_FALSE(evict("c", minutes(0)));
  EXPECT_FALSE(damped_for(minutes(0)));
}

TEST_F(EvictionLooping, KeepsNewPodsOffForATimeThatDoublesUpToAnHour) {
  EXPECT_TRUE(loop("a", minutes(0)));
  EXPECT_EQ(damped_for(minutes(0)), minutes(5));
  EXPECT_EQ(damped_for(minutes(5)), std::nullopt);
  for (const Duration expected :
       {minutes(10), minutes(20), minutes(40), minutes(60), minutes(60)}) {
    const Duration after = damped_for(minutes(0)).value_or(minutes(70));
    EXPECT_TRUE(loop("b", after));
    EXPECT_EQ(damped_for(after), expected);
    start_ += after;
  }
}

TEST_F(EvictionLooping, BeginsAnewAfterAnHourWithoutOne) {
  loop("a", minutes(0));
  loop("a", minutes(1));
  EXPECT_EQ(damped_for(minutes(1)), minutes(10));
  loop("a", minutes(11) + hours(1) + minutes(1));
  EXPECT_EQ(damped_for(minutes(72)), minutes(5));
}

TEST_F(EvictionLooping, AClockThatWasSetBackDoesNotKeepPodsOffForLonger) {
  loop("a", hours(24));
  EXPECT_FALSE(damped_for(minutes(0)));
}

TEST_F(EvictionLooping, IsReadAsItWasWritten) {
  loop("a", minutes(0));
  evict("a", minutes(1));
  evict("b", minutes(1));
  EvictionLoops read;
  read.take_json(loops_.to_json());
  EXPECT_EQ(read.to_json(), loops_.to_json());
  EXPECT_EQ(read.controllers().size(), 2U);
  EXPECT_TRUE(read.damped_until(start_));
  read.take_json(nlohmann::json::parse(
      R"({"controllers": [3, {"controller": {"name": "../x"}, "evictions": []}]})"));
  EXPECT_TRUE(read.controllers().empty());
}

TEST_F(EvictionLooping, RemembersABoundedNumberOfControllers) {
  for (int i = 0; i < 200; ++i) {
    evict("c" + std::to_string(i), minutes(0));
  }
  EXPECT_EQ(loops_.controllers().size(), 64U);
  for (int i = 0; i < 200; ++i) {
    evict("one", minutes(1));
  }
  EXPECT_EQ(loops_.controllers().back().evictions.size(), 16U);
  evict("later", hours(2));
  EXPECT_EQ(loops_.controllers().size(), 1U) << "the others are too long ago";
}

PlannerOptions controlled() {
  return {.node = "node1", .find_controller = [](const std::string& uid) {
            return uid == "lone" ? std::nullopt : std::optional(replica_set("rs"));
          }};
}

TEST(LoopPlan, TheThirdEvictionIsToldOnTheController) {
  QueueState state;
  PlannerCounters counters;
  for (std::uint64_t seq = 7; seq <= 9; ++seq) {
    const TakenLine taken =
        plan(evicted(seq, "u" + std::to_string(seq)), state, controlled(), counters);
    EXPECT_EQ(taken.entries.size(), seq == 9 ? 3U : 2U);
    ASSERT_TRUE(state.apply(QueueState::taken_text(taken)));
  }
  EXPECT_EQ(counters.loops, 1U);
  const Entry& entry = state.entries().rbegin()->second;
  EXPECT_EQ(entry.name, "rs");
  const EventNote& event = entry.steps.at(0).event;
  EXPECT_EQ(event.reason, "EvictionLoop");
  EXPECT_EQ(event.kind, "ReplicaSet");
  EXPECT_EQ(event.api_version, "apps/v1");
  EXPECT_TRUE(event.annotations.empty());
  EXPECT_EQ(state.loops().controllers().at(0).evictions.size(), 3U);

  QueueState again;
  for (const std::string& text : state.texts()) {
    ASSERT_TRUE(again.apply(text));
  }
  EXPECT_EQ(again.loops().to_json(), state.loops().to_json());
  EXPECT_EQ(again.entries().rbegin()->second.steps.at(0).event.kind, "ReplicaSet");
}

TEST(LoopPlan, ACutOfAGraceAndALaterLineAreNoFurtherEviction) {
  QueueState state;
  PlannerCounters counters;
  JournalLine cut = evicted(8, "u");
  cut.outcome = "escalated";
  EXPECT_FALSE(plan(cut, state, controlled(), counters).controlled);
  JournalLine dry = evicted(9, "u");
  dry.is_dry_run = true;
  EXPECT_FALSE(plan(dry, state, controlled(), counters).controlled);
  ASSERT_TRUE(
      state.apply(QueueState::taken_text(plan(evicted(7, "u"), state, controlled(), counters))));
  JournalLine end = evicted(10, "u");
  end.id = 7;
  EXPECT_FALSE(plan(end, state, controlled(), counters).controlled);
}

TEST(LoopPlan, APodWithoutAControllerIsCounted) {
  PlannerCounters counters;
  EXPECT_FALSE(plan(evicted(7, "lone"), {}, controlled(), counters).controlled);
  EXPECT_EQ(counters.uncontrolled, 1U);
}

}  // namespace
}  // namespace evictd::kube::test
