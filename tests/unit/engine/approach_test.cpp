// SPDX-License-Identifier: Apache-2.0
#include "engine/approach.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

#include "evictd/bytes.h"
#include "eviction/parse_thresholds.h"
#include "unit/engine/moments.h"

namespace evictd::engine {
namespace {

using std::chrono::seconds;

/// A node of 16 GiB with a soft threshold of 2 GiB and a hard one of 1 GiB. Its pods may use 8 GiB,
/// of which as much as `pods_available_` is left.
class SoftApproach : public testing::Test {
 protected:
  static eviction::ThresholdTable thresholds() {
    eviction::ThresholdTexts texts;
    texts.hard = {{"memory.available", "1Gi"}};
    texts.soft = {{"memory.available", "2Gi"}};
    texts.soft_grace_period = {{"memory.available", "30s"}};
    texts.enforce_node_allocatable = {"pods"};
    return eviction::ThresholdTable::create(
               eviction::parse_thresholds(texts, eviction::Compat::k1_32).value())
        .value();
  }
  /// `reach`: what is used up in 3 ms.
  [[nodiscard]] bool only_begins_grace(Bytes available, Bytes reach) const {
    eviction::Observations seen;
    seen[eviction::Signal::kMemoryAvailable] = {
        .available = available.value, .capacity = (16_GiB).value, .time = {}};
    seen[eviction::Signal::kAllocatableMemoryAvailable] = {
        .available = pods_available_.value, .capacity = (8_GiB).value, .time = {}};
    return engine::only_begins_grace(thresholds_, state_, seen,
                                     {.rate = reach.value * 1000 / 3, .now = kNow});
  }
  void remember(Duration since) {
    for (std::size_t i = 0; i < thresholds_.size(); ++i) {
      if (!thresholds_[i].is_hard()) {
        state_.first_observed[i] = kNow - since;
      }
    }
  }

  eviction::ThresholdTable thresholds_ = thresholds();
  eviction::PassState state_;
  Bytes pods_available_ = 8_GiB;
};

TEST_F(SoftApproach, BeginsAGraceWhenOnlyTheSoftThresholdIsWithinReach) {
  EXPECT_TRUE(only_begins_grace(2_GiB + 1_MiB, 2_MiB));
  EXPECT_TRUE(only_begins_grace(2_GiB, 1_MiB));
}

TEST_F(SoftApproach, MayEndAPodWhenTheHardThresholdIsWithinReachToo) {
  EXPECT_FALSE(only_begins_grace(2_GiB + 1_MiB, 2_GiB));
}

TEST_F(SoftApproach, IsNoneOfAThresholdOutOfReachOrMet) {
  EXPECT_FALSE(only_begins_grace(2_GiB + 1_MiB, 1_MiB)) << "equality is not met";
  EXPECT_FALSE(only_begins_grace(2_GiB - 1_MiB, 2_MiB)) << "met already";
  EXPECT_FALSE(only_begins_grace(2_GiB + 1_MiB, Bytes{0})) << "unknown speed";
}

TEST_F(SoftApproach, MayEndAPodWhenTheHardThresholdOfThePodsIsWithinReach) {
  pods_available_ = 1_GiB + 1_MiB;
  EXPECT_FALSE(only_begins_grace(2_GiB + 1_MiB, 2_MiB));
}

TEST_F(SoftApproach, MayEndAPodWhenItsGraceIsRememberedAndOver) {
  remember(seconds(29));
  EXPECT_TRUE(only_begins_grace(2_GiB + 1_MiB, 2_MiB));
  remember(seconds(30) - std::chrono::milliseconds(3));
  EXPECT_FALSE(only_begins_grace(2_GiB + 1_MiB, 2_MiB)) << "over when it is crossed";
}

}  // namespace
}  // namespace evictd::engine
