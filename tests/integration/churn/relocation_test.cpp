// SPDX-License-Identifier: Apache-2.0
#include "relocation.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "stage/load_process.h"
#include "stage/scratch_directory.h"
#include "stage/text_file.h"
#include "support/tasks.h"

namespace evictd::churn {
namespace {

TEST(ChurnRelocation, TakesAllProcessesAlongAndLeavesAnEmptyCgroup) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make cgroups";
  }
  const Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-test-");
  Result<stage::PrivateTree> tree =
      stage::PrivateTree::create("evictd-test-move-" + std::to_string(::getpid()));
  ASSERT_TRUE(scratch && tree);
  const Result<stage::StagedPod> from = tree->add_pod({.name = "from"});
  const Result<stage::StagedPod> to = tree->add_pod({.name = "to"});
  ASSERT_TRUE(from && to);
  stage::LoadOptions options{
      .binary = EVICT_LOAD, .directory = scratch->path(), .kind = load::LoadKind::kForks};
  options.cap = 5;
  Result<stage::LoadProcess> load = stage::LoadProcess::start(*tree, *from, options);
  ASSERT_TRUE(load) << load.error().message();
  load->go();
  ASSERT_TRUE(load->await_holding(std::chrono::minutes{1}));
  const auto tasks_of = [&](const stage::StagedPod& pod) {
    const auto file = tree->hierarchies().pids / pod.pod / "pids.current";
    return stage::parse_number(stage::read_text(file).value_or(std::string{})).value_or(-1);
  };
  constexpr std::int64_t kTasks = 1 + 5 * test::kTasksOfAForkedProcess;
  while (tasks_of(*from) < kTasks) {
    ::sched_yield();
  }

  move_processes(*tree, *from, *to);

  EXPECT_TRUE(has_entered(*tree, *to, load->child().pid()));
  EXPECT_FALSE(has_entered(*tree, *from, load->child().pid()));
  EXPECT_EQ(tasks_of(*to), kTasks);
  EXPECT_TRUE(tree->remove_pod(*from));
}

}  // namespace
}  // namespace evictd::churn
