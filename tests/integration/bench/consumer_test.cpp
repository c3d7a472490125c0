// SPDX-License-Identifier: Apache-2.0
#include "reference/consumer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "small_hog.h"
#include "stage/private_tree.h"

namespace evictd::bench {
namespace {

class ConsumerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root for cgroups";
    }
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    tree_ = stage::PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + test).value();
    pod_ = tree_->add_pod({.name = "hog"}).value();
  }

  ConsumerOptions options(Mechanism mechanism, bool realtime) const {
    ConsumerOptions made;
    made.mechanism = mechanism;
    made.period = std::chrono::milliseconds{10};
    made.realtime = realtime;
    made.directory = tree_->memory_directory();
    made.usage_file = tree_->hierarchies().usage_file();
    return made;
  }

  /// Two hogs, one after the other, each killed by the same consumer.
  void expect_kills(const ConsumerOptions& how) {
    Result<Consumer> consumer = Consumer::start(how);
    ASSERT_TRUE(consumer) << consumer.error().message();
    for (int trial = 0; trial < 2; ++trial) {
      SmallHog hog{std::size_t{32} << 20};
      ASSERT_TRUE(tree_->enter(*pod_, hog.pid()));
      ASSERT_TRUE(consumer->arm(hog.pid(), 16_MiB));
      hog.let_go();
      siginfo_t end{};
      ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(hog.pid()), &end, WEXITED | WNOWAIT), 0);
      EXPECT_EQ(end.si_status, SIGKILL);
      EXPECT_TRUE(consumer->disarm());
    }
  }

  std::optional<stage::PrivateTree> tree_;
  std::optional<stage::StagedPod> pod_;
};

TEST_F(ConsumerTest, TheEventfdConsumerKillsItsVictim) {
  if (tree_->hierarchies().unified()) {
    GTEST_SKIP() << "cgroup v2 has no eventfd notification";
  }
  expect_kills(options(Mechanism::kEventfd, false));
}

TEST_F(ConsumerTest, ThePollerKillsItsVictim) {
  expect_kills(options(Mechanism::kPoll, false));
}

TEST_F(ConsumerTest, TheRealtimeFlavourKillsItsVictim) {
  expect_kills(options(Mechanism::kPoll, true));
}

TEST_F(ConsumerTest, WatchesOnlyBetweenArmAndDisarm) {
  Result<Consumer> consumer = Consumer::start(options(Mechanism::kPoll, false));
  ASSERT_TRUE(consumer) << consumer.error().message();
  SmallHog hog{std::size_t{32} << 20};
  ASSERT_TRUE(tree_->enter(*pod_, hog.pid()));
  ASSERT_TRUE(consumer->arm(hog.pid(), 16_MiB));
  ASSERT_TRUE(consumer->disarm());
  hog.let_go();
  hog.await();
  // The poller answers only between two polls, so it has had its chance to kill by now.
  ASSERT_TRUE(consumer->disarm());
  EXPECT_EQ(::kill(hog.pid(), 0), 0);
}

}  // namespace
}  // namespace evictd::bench
