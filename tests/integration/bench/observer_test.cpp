// SPDX-License-Identifier: Apache-2.0
#include "observer/observer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "base/system_clock.h"
#include "small_hog.h"
#include "stage/private_tree.h"

namespace evictd::bench {
namespace {

constexpr std::size_t kHogBytes = std::size_t{32} << 20;

class ObserverTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root for BPF and cgroups";
    }
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    tree_ = stage::PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + test).value();
    pod_ = tree_->add_pod({.name = "hog"}).value();
    Result<Observer> observer = Observer::create();
    ASSERT_TRUE(observer) << observer.error().message();
    observer_ = std::move(*observer);
  }

  /// One hog of kHogBytes in the pod, from start to its death by SIGKILL, watched for `level`.
  ObserverReading watch_one_hog(std::uint64_t memcg_id, Bytes level) {
    SmallHog hog{kHogBytes};
    EXPECT_TRUE(tree_->enter(*pod_, hog.pid()));
    observer_->arm({memcg_id, level, hog.pid()});
    hog.let_go();
    hog.await();
    ::kill(hog.pid(), SIGKILL);
    return observer_->disarm();
  }

  std::optional<stage::PrivateTree> tree_;
  std::optional<stage::StagedPod> pod_;
  std::optional<Observer> observer_;
};

TEST_F(ObserverTest, StampsTheFirstPagePastALevelAndTheSigkill) {
  const MonoTime before = base::SystemClock{}.now();
  const ObserverReading seen = watch_one_hog(tree_->memory_id().value(), 16_MiB);
  const MonoTime after = base::SystemClock{}.now();
  ASSERT_TRUE(seen.crossed);
  ASSERT_TRUE(seen.sigkill);
  ASSERT_TRUE(seen.sigkill_returned);
  EXPECT_LT(before, *seen.crossed);
  EXPECT_LT(*seen.crossed, *seen.sigkill);
  EXPECT_LT(*seen.sigkill, *seen.sigkill_returned);
  EXPECT_LT(*seen.sigkill_returned, after);
  EXPECT_FALSE(seen.by_kernel);
  EXPECT_GE(seen.at_sigkill.value, static_cast<std::int64_t>(kHogBytes));
  EXPECT_GE(seen.furthest, seen.at_sigkill);
  EXPECT_GE(seen.pages_seen, kHogBytes / 4096 / 64);
}

TEST_F(ObserverTest, TellsASignalOfTheKernelFromThatOfAProcess) {
  ASSERT_TRUE(tree_->limit_memory(16_MiB));
  SmallHog hog{kHogBytes};
  ASSERT_TRUE(tree_->enter(*pod_, hog.pid()));
  observer_->arm({tree_->memory_id().value(), 8_MiB, hog.pid()});
  hog.let_go();
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(hog.pid()), &end, WEXITED | WNOWAIT), 0);
  const ObserverReading seen = observer_->disarm();
  EXPECT_EQ(end.si_status, SIGKILL);
  EXPECT_TRUE(seen.sigkill) << "the OOM killer's";
  EXPECT_TRUE(seen.by_kernel);
  EXPECT_FALSE(seen.sigkill_returned) << "no system call sent it";
}

TEST_F(ObserverTest, ALevelThatIsNotReachedIsNotCrossed) {
  const ObserverReading seen = watch_one_hog(tree_->memory_id().value(), 64_MiB);
  EXPECT_FALSE(seen.crossed);
  EXPECT_TRUE(seen.sigkill);
  EXPECT_LT(seen.furthest, 64_MiB);
}

TEST_F(ObserverTest, IsArmedAnewForEachTrial) {
  const std::uint64_t id = tree_->memory_id().value();
  const ObserverReading first = watch_one_hog(id, 8_MiB);
  const ObserverReading second = watch_one_hog(id, 8_MiB);
  ASSERT_TRUE(first.crossed && second.crossed);
  EXPECT_LT(*first.sigkill, *second.crossed);
}

TEST_F(ObserverTest, SeesTheNodesWorkingSet) {
  // Whatever else runs on this machine, it uses more than 1 MiB and less than 1 EiB.
  const ObserverReading low = watch_one_hog(0, 1_MiB);
  EXPECT_TRUE(low.crossed);
  EXPECT_GT(low.furthest.value, static_cast<std::int64_t>(kHogBytes));
  const ObserverReading high = watch_one_hog(0, Bytes{std::int64_t{1} << 60});
  EXPECT_FALSE(high.crossed);
}

}  // namespace
}  // namespace evictd::bench
