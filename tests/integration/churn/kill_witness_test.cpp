// SPDX-License-Identifier: Apache-2.0
// The witness of kills in the pods that the soak has.
#include "observer/kill_witness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include "stage/load_process.h"
#include "stage/scratch_directory.h"

namespace evictd::bench {
namespace {

constexpr std::chrono::minutes kDeadline{1};

class ChurnWitness : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to make cgroups and to load BPF programs";
    }
    Result<KillWitness> witness = KillWitness::create();
    ASSERT_TRUE(witness) << witness.error().message();
    witness_.emplace(std::move(*witness));
    Result<stage::ScratchDirectory> made = stage::ScratchDirectory::create("evictd-test-");
    ASSERT_TRUE(made) << made.error().message();
    scratch_.emplace(std::move(*made));
    Result<stage::PrivateTree> tree =
        stage::PrivateTree::create("evictd-test-witness-" + std::to_string(::getpid()));
    ASSERT_TRUE(tree) << tree.error().message();
    tree_.emplace(std::move(*tree));
    const Result<stage::StagedPod> pod = tree_->add_pod({.name = "pod"});
    ASSERT_TRUE(pod) << pod.error().message();
    pod_ = *pod;
    Result<stage::LoadProcess> load = stage::LoadProcess::start(
        *tree_, pod_, {.binary = EVICT_LOAD, .directory = scratch_->path()});
    ASSERT_TRUE(load) << load.error().message();
    load_.emplace(std::move(*load));
  }

  [[nodiscard]] std::uint64_t id() const {
    struct stat status {};
    const std::string pod = tree_->hierarchies().memory / pod_.pod;
    EXPECT_EQ(::stat(pod.c_str(), &status), 0);
    return status.st_ino;
  }
  [[nodiscard]] pid_t victim() const { return load_->child().pid(); }

  std::optional<KillWitness> witness_;
  std::optional<stage::ScratchDirectory> scratch_;
  std::optional<stage::PrivateTree> tree_;
  stage::StagedPod pod_;
  std::optional<stage::LoadProcess> load_;
};

TEST_F(ChurnWitness, SeesWhoKilledAPod) {
  EXPECT_FALSE(witness_->kills_of(id()));
  Result<stage::Child> killer =
      stage::Child::start({.argv = {"/bin/sh", "-c", "kill -KILL " + std::to_string(victim())}});
  ASSERT_TRUE(killer) << killer.error().message();
  const Result<stage::ChildExit> end = load_->child().wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  ASSERT_TRUE(end->killed_by(SIGKILL));
  const std::optional<KillsSeen> seen = witness_->kills_of(id());
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->count, 1U);
  EXPECT_EQ(seen->signal, SIGKILL);
  EXPECT_EQ(seen->sender, killer->pid());
  EXPECT_EQ(seen->program, "sh");
  EXPECT_EQ(witness_->missed(), 0U);
  witness_->forget(id());
  EXPECT_FALSE(witness_->kills_of(id()));
}

TEST_F(ChurnWitness, LeavesOutWhatThisProcessKills) {
  load_->child().signal(SIGKILL);
  ASSERT_TRUE(load_->child().wait(kDeadline));
  EXPECT_FALSE(witness_->kills_of(id()));
}

}  // namespace
}  // namespace evictd::bench
