// SPDX-License-Identifier: Apache-2.0
#include "cri/dead_containers.h"

#include <gtest/gtest.h>

namespace evictd::cri {
namespace {

using std::chrono::seconds;
using Ids = std::vector<std::string>;

const WallTime kToday{std::chrono::hours(1)};

WallTime made_at(int second) {
  return WallTime(seconds(second));
}
Container dead_one(const std::string& id, const std::string& uid, const std::string& name,
                   int made) {
  return {.id = id,
          .sandbox_id = "s-" + uid,
          .name = name,
          .pod_uid = uid,
          .state = ContainerState::kExited,
          .created = made_at(made)};
}
bool nobody(const std::string& /*uid*/) {
  return false;
}

TEST(DeadContainers, TheNewestOfEachStays) {
  const std::vector<Container> all{dead_one("a1", "a", "x", 1), dead_one("a3", "a", "x", 3),
                                   dead_one("a2", "a", "x", 2), dead_one("b1", "a", "y", 1),
                                   dead_one("c1", "c", "x", 1)};
  EXPECT_EQ(choose_dead_containers(all, {}, nobody, kToday), (Ids{"a1", "a2"}));
}

TEST(DeadContainers, NoneThatMayLiveAndNoneOfOthersGoes) {
  Container running = dead_one("r", "a", "x", 1);
  running.state = ContainerState::kRunning;
  Container made = dead_one("m", "a", "x", 1);
  made.state = ContainerState::kCreated;
  Container unknown = dead_one("u", "a", "x", 1);
  unknown.state = ContainerState::kUnknown;
  const std::vector<Container> all{running, made, unknown, dead_one("f", "", "foreign", 1)};
  EXPECT_EQ(choose_dead_containers(all, {.max_per_pod_container = 0}, nobody, kToday), Ids{});
}

TEST(DeadContainers, AreNoYoungerThanTheMinimumAge) {
  const std::vector<Container> all{dead_one("old", "a", "x", 3540),
                                   dead_one("new", "a", "x", 3541)};
  EXPECT_EQ(choose_dead_containers(all, {.min_age = seconds(60), .max_per_pod_container = 0},
                                   nobody, kToday),
            Ids{"old"});
}

TEST(DeadContainers, AllOfAPodThatIsGoneGo) {
  const std::vector<Container> all{dead_one("a1", "a", "x", 1), dead_one("b1", "b", "x", 1)};
  EXPECT_EQ(choose_dead_containers(
                all, {}, [](const std::string& uid) { return uid == "b"; }, kToday),
            Ids{"b1"});
}

TEST(DeadContainers, OfTooManyTogetherEachKeepsAsMany) {
  const std::vector<Container> all{dead_one("a1", "a", "x", 1), dead_one("a2", "a", "x", 2),
                                   dead_one("a3", "a", "x", 3), dead_one("b1", "b", "x", 1)};
  const ContainerPolicy policy{.max_per_pod_container = std::nullopt, .max_containers = 2};
  EXPECT_EQ(choose_dead_containers(all, policy, nobody, kToday), (Ids{"a1", "a2"}));
}

TEST(DeadContainers, OfMoreThanOneEachTheOldestGo) {
  const std::vector<Container> all{dead_one("a1", "a", "x", 5), dead_one("b1", "b", "x", 4),
                                   dead_one("c1", "c", "x", 6)};
  EXPECT_EQ(choose_dead_containers(all, {.max_containers = 1}, nobody, kToday), (Ids{"b1", "a1"}));
}

TEST(DeadSandboxes, GoWhenTheyAreEmptyAndNotTheNewestOfTheirPod) {
  const std::vector<Sandbox> all{
      {.id = "a1", .pod_uid = "a", .created = made_at(1)},
      {.id = "a2", .pod_uid = "a", .created = made_at(2)},
      {.id = "a3", .pod_uid = "a", .state = SandboxState::kReady, .created = made_at(3)},
      {.id = "a4", .pod_uid = "a", .created = made_at(4)},
      {.id = "b1", .pod_uid = "b", .created = made_at(1)},
      {.id = "f1", .pod_uid = "", .created = made_at(1)}};
  const std::vector<Container> containers{{.id = "c", .sandbox_id = "a2"}};
  EXPECT_EQ(choose_dead_sandboxes(all, containers, nobody), Ids{"a1"});
  EXPECT_EQ(choose_dead_sandboxes(all, containers, [](const std::string&) { return true; }),
            (Ids{"a1", "a4", "b1"}));
}

}  // namespace
}  // namespace evictd::cri
