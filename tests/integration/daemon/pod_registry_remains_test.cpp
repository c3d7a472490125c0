// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "pod_registry_on_a_tree.h"
#include "support/sleeping_child.h"

namespace evictd::daemon {
namespace {

TEST_F(PodRegistryOnATree, AnEmptyPodIsHandedOverWithTheZombiesThatAreInIt) {
  const stage::StagedPod pod = add_pod("left");
  const pid_t dead = test::start_sleeping_child();
  ASSERT_GT(dead, 0);
  EXPECT_TRUE(tree_->enter(pod, dead));
  ::kill(dead, SIGKILL);
  siginfo_t end{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(dead), &end, WEXITED | WNOWAIT), 0);
  start();
  take(registry_->rescan());
  ::waitpid(dead, nullptr, 0);

  ASSERT_TRUE(slot_of(pod));
  HotPod& empty = *hot_.at(*slot_of(pod));
  ASSERT_EQ(empty.state, cluster::PodState::kEmpty);
  CgroupUsage seen;
  seen.tasks = 1;
  EXPECT_FALSE(empty.remains.outgrown_by(seen)) << "that is the zombie";
  seen.tasks = 2;
  EXPECT_TRUE(empty.remains.outgrown_by(seen));
}

}  // namespace
}  // namespace evictd::daemon
