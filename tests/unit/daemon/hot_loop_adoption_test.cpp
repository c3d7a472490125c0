// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "driven_hot_loop.h"

namespace evictd::daemon {
namespace {

using AdoptingHotLoop = DrivenHotLoop;

TEST_F(AdoptingHotLoop, EvictionPlacedWithItsPodIsAdoptedBeforeAChoice) {
  node_.set_memory(950_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  std::unique_ptr<HotPod> pod = node_.pod(1, "late", 20_MiB);
  node_.set_tasks("late", 1);
  send(PlacePod{.slot = 1,
                .pod = std::move(pod),
                .adoption = Adoption{.kind = AdoptionKind::kUnreaped, .killed_at = clock_.now()}});
  send(engine::PassRequested{});
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(counters_.adopted.load(), 1U);
  EXPECT_EQ(counters_.not_begun.load(), 0U) << "it was chosen";
  EXPECT_EQ(done->copy->releasing.size(), 1U);
}

}  // namespace
}  // namespace evictd::daemon
