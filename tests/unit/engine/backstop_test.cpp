// SPDX-License-Identifier: Apache-2.0
#include "engine/backstop.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "eviction/parse_thresholds.h"
#include "unit/engine/moments.h"

namespace evictd::engine {
namespace {

constexpr Bytes kNodeMemory = 16_GiB;

/// A node of 16 GiB above its hard threshold of 1 GiB, after a pass that found nothing to do.
class Backstop : public testing::Test {
 protected:
  Backstop() {
    texts_.hard = {{"memory.available", "1Gi"}};
    settings_.hard_grace = std::chrono::seconds(0);
    seen_[eviction::Signal::kMemoryAvailable] = eviction::Observation{
        .available = (1_GiB + 2_MiB).value, .capacity = kNodeMemory.value, .time = kNow};
  }

  void add(Bytes working_set, std::int32_t priority = 0) {
    facts_.emplace_back().priority = priority;
    eviction::PassPod pod;
    pod.facts = &facts_.back();
    pod.reading.state = eviction::ReadingState::kRead;
    pod.reading.working_set_bytes = working_set.value;
    pods_.push_back(pod);
    CgroupUsage usage;
    usage.usage = working_set;
    usages_.push_back(usage);
  }

  tl::expected<BackstopPlan, NoBackstop> plan() {
    settings_.thresholds = eviction::parse_thresholds(texts_, eviction::Compat::k1_32).value();
    eviction::EvictionManager manager = eviction::EvictionManager::create(settings_).value();
    const eviction::Brakes brakes{.max_evictions_per_minute = 0,
                                  .recent = {},
                                  .pauses = pauses_,
                                  .growth = {},
                                  .released_at = std::nullopt,
                                  .released_below_pod_root_at = std::nullopt};
    eviction::PassInput input;
    input.observations = &seen_;
    input.pods = pods_;
    input.brakes = &brakes;
    manager.synchronize(kNow, input);
    return plan_backstop({.manager = &manager,
                          .input = input,
                          .usages = usages_,
                          .scope = scope_,
                          .margin = 1_MiB,
                          .growth = 1_GiB,
                          .now = kNow + Duration{1},
                          .until = until_});
  }

  eviction::Observation& memory() { return *seen_[eviction::Signal::kMemoryAvailable]; }

  eviction::ThresholdTexts texts_;
  eviction::PassSettings settings_;
  eviction::Observations seen_;
  eviction::Pauses pauses_;
  eviction::Scope scope_ = eviction::Scope::kNode;
  MonoTime until_ = kNow + std::chrono::seconds(10);
  std::deque<eviction::PodFacts> facts_;
  std::vector<eviction::PassPod> pods_;
  std::vector<CgroupUsage> usages_;
};

TEST_F(Backstop, NamesWhomAPassPastTheMarginKills) {
  add(100_MiB);
  add(300_MiB);
  const auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->victim, 1U);
  EXPECT_EQ(made->threshold, 0U);
  EXPECT_EQ(made->most_available, (1_GiB - 1_MiB).value - 1);
  EXPECT_EQ(made->least_available, (1_GiB - 17_MiB).value - 1);
  EXPECT_EQ(made->least_rate, 0);
  EXPECT_TRUE(made->compared().empty());
  EXPECT_EQ(made->expires_at, kNow + Duration{1} + kBackstopLasts);
}

TEST_F(Backstop, EndsWhenUserSpaceActsByItself) {
  add(300_MiB);
  until_ = kNow + std::chrono::milliseconds(1);
  EXPECT_EQ(plan()->expires_at, until_);
}

TEST_F(Backstop, ComparesWhoCouldOvertake) {
  add(300_MiB);
  add(299_MiB);
  add(290_MiB);
  const auto made = plan();
  ASSERT_TRUE(made);
  ASSERT_EQ(made->compared().size(), 1U) << "3 ms at 1 GiB/s are 3 MiB for each of the two";
  EXPECT_EQ(made->compared()[0].pod, 1U);
  EXPECT_EQ(made->least_working_set, (300_MiB).value - (1_GiB).value * 3 / 1000);
}

TEST_F(Backstop, CountsCacheThatMayComeIntoUse) {
  add(300_MiB);
  add(100_MiB);
  usages_[1].usage = 400_MiB;
  const auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->compared().size(), 1U);
}

TEST_F(Backstop, IsRefusedForTooManyRivals) {
  for (std::size_t i = 0; i <= BackstopPlan::kMostRivals; ++i) {
    add(300_MiB);
  }
  EXPECT_TRUE(plan());
  add(300_MiB);
  EXPECT_EQ(plan().error(), NoBackstop::kManyRivals);
}

TEST_F(Backstop, IsRefusedForAVictimWithGrace) {
  add(300_MiB);
  settings_.hard_grace = std::chrono::seconds(1);
  EXPECT_EQ(plan().error(), NoBackstop::kNoKill);
}

TEST_F(Backstop, ReliesOnHalfTheRateThatLeavesNoTime) {
  add(300_MiB);
  settings_.hard_grace = std::chrono::seconds(1);
  memory().rate = (64_GiB).value;
  const auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->least_rate, (32_GiB).value);
  memory().rate = (12_GiB).value;
  EXPECT_EQ(plan().error(), NoBackstop::kNoKill) << "half of it leaves time for some grace";
}

TEST_F(Backstop, IsPlannedBelowTheFloor) {
  add(300_MiB);
  settings_.hard_grace = std::chrono::seconds(1);
  settings_.hard_floor.percent_of_threshold = 100;
  const auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->least_rate, 0);
}

TEST_F(Backstop, IsRefusedDuringAPause) {
  add(300_MiB);
  pauses_.all = kNow + std::chrono::seconds(1);
  EXPECT_EQ(plan().error(), NoBackstop::kNoKill);
}

TEST_F(Backstop, IsRefusedWithAnUnreadPod) {
  add(300_MiB);
  add(1_MiB);
  pods_[1].reading.state = eviction::ReadingState::kNotReadYet;
  EXPECT_EQ(plan().error(), NoBackstop::kPodsUnknown);
}

TEST_F(Backstop, IsRefusedWithoutAThresholdAhead) {
  add(300_MiB);
  scope_ = eviction::Scope::kPodRoot;
  EXPECT_EQ(plan().error(), NoBackstop::kNothingAhead);
}

TEST_F(Backstop, IsRefusedIfAnotherThresholdGoesFirst) {
  add(300_MiB);
  texts_.enforce_node_allocatable = {"pods"};
  seen_[eviction::Signal::kAllocatableMemoryAvailable] = eviction::Observation{
      .available = (1_GiB + 2_MiB).value, .capacity = (8_GiB).value, .time = kNow};
  EXPECT_EQ(plan().error(), NoBackstop::kOtherThreshold);
  seen_[eviction::Signal::kAllocatableMemoryAvailable]->available = (2_GiB).value;
  EXPECT_TRUE(plan());
}

TEST(NoBackstopNames, EachReasonHasItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kNoBackstops; ++i) {
    names.insert(to_string(static_cast<NoBackstop>(i)));
  }
  EXPECT_EQ(names.size(), kNoBackstops);
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(to_string(NoBackstop::kManyRivals), "many_rivals");
}

}  // namespace
}  // namespace evictd::engine
