// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pods_ahead.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace evictd::daemon {
namespace {

class OnePodAhead : public testing::Test {
 protected:
  OnePodAhead() {
    entry_.uid = "uid";
    entry_.state = cluster::PodState::kActive;
    entry_.cgroup.emplace();
    entry_.cgroup->path = "/kubepods/poduid";
    entry_.cgroup->memory_id = {.hierarchy = 4, .id = 11};
    entry_.cgroup->pids_id = {.hierarchy = 8, .id = 12};
    entry_.cgroup->containers = {{"c1", "/kubepods/poduid/c1", {.hierarchy = 4, .id = 13}}};
    PodOpener::Opened opened{.pod = std::make_unique<HotPod>()};
    opened_ = opened.pod.get();
    ahead_.add({.entry = &entry_, .standing = standing_, .slot = 0}, std::move(opened));
  }
  std::optional<PodsAhead::Ready> take() {
    return ahead_.take({.entry = &entry_, .standing = standing_, .slot = 7});
  }

  cluster::PodEntry entry_;
  PodStanding standing_;
  PodsAhead ahead_;
  const HotPod* opened_ = nullptr;
};

TEST_F(OnePodAhead, IsTakenOverOnceWithItsSlotWhereItIsTheSame) {
  const std::optional<PodsAhead::Ready> ready = take();
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->opened.pod.get(), opened_);
  EXPECT_EQ(ready->opened.pod->slot, 7U);
  EXPECT_FALSE(ready->counters) << "the kernel side was not asked";
  EXPECT_TRUE(ahead_.empty());
  EXPECT_FALSE(take());
}

TEST_F(OnePodAhead, BringsWhatTheKernelSideSaidOfItsCgroup) {
  ahead_.resolve_all([](const cluster::PodCgroup& pod) {
    evictd_resolved resolved{};
    resolved.cgroup.id = pod.memory_id.id;
    return Result<probe::PodCounters>({.memory = resolved, .pids = std::nullopt});
  });
  const std::optional<PodsAhead::Ready> ready = take();
  ASSERT_TRUE(ready && ready->counters && *ready->counters);
  EXPECT_EQ((**ready->counters).memory->value().cgroup.id, 11U);
}

TEST_F(OnePodAhead, IsNotTakenOverWhereAnythingIsAnother) {
  const std::vector<std::function<void(cluster::PodEntry&, PodStanding&)>> changes{
      [](auto& entry, auto&) { entry.uid = "other"; },
      [](auto& entry, auto&) { entry.state = cluster::PodState::kEmpty; },
      [](auto& entry, auto&) { entry.cgroup->path += "x"; },
      [](auto& entry, auto&) { ++entry.cgroup->memory_id.id; },
      [](auto& entry, auto&) { entry.cgroup->pids_id = {}; },
      [](auto& entry, auto&) { ++entry.cgroup->containers[0].memory_id.id; },
      [](auto&, auto& standing) { standing.protection = enforce::Protection::kStatic; }};
  const cluster::PodEntry entry = entry_;
  const PodStanding standing = standing_;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i](entry_, standing_);
    EXPECT_FALSE(take()) << i;
    entry_ = entry;
    standing_ = standing;
  }
  EXPECT_TRUE(take()) << "it is there all the same";
}

}  // namespace
}  // namespace evictd::daemon
