// SPDX-License-Identifier: Apache-2.0
#include "stage/scratch_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace evictd::stage {
namespace {

class ScratchDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    prefix_ = "evictd-test-" + std::to_string(::getpid()) + "-" + test + "-";
  }
  void TearDown() override {
    for (const std::filesystem::path& left : ScratchDirectory::list(prefix_)) {
      std::filesystem::remove_all(left);
    }
  }

  /// By a process that ends without its destructors, as one that is killed.
  void make_and_die() {
    const pid_t child = ::fork();
    if (child == 0) {
      const Result<ScratchDirectory> made = ScratchDirectory::create(prefix_);
      ::_exit(made && std::ofstream(made->path() / "file") ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  std::string prefix_;
};

TEST_F(ScratchDirectoryTest, IsTakenOverAndRemovedOnceItsProcessWasKilled) {
  make_and_die();
  ASSERT_EQ(ScratchDirectory::list(prefix_).size(), 1U);
  {
    const std::vector<ScratchDirectory> left = ScratchDirectory::take_abandoned(prefix_);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_TRUE(std::filesystem::exists(left[0].path() / "file"));
    EXPECT_THAT(ScratchDirectory::take_abandoned(prefix_), testing::IsEmpty()) << "it is taken";
  }
  EXPECT_THAT(ScratchDirectory::list(prefix_), testing::IsEmpty());
}

TEST_F(ScratchDirectoryTest, IsNotTakenOverWhileItIsInUse) {
  const Result<ScratchDirectory> used = ScratchDirectory::create(prefix_);
  ASSERT_TRUE(used) << used.error().message();
  EXPECT_THAT(ScratchDirectory::take_abandoned(prefix_), testing::IsEmpty());
}

TEST_F(ScratchDirectoryTest, IsNotTakenOverWhereItWasKept) {
  ScratchDirectory::create(prefix_)->keep();
  EXPECT_THAT(ScratchDirectory::take_abandoned(prefix_), testing::IsEmpty());
  EXPECT_EQ(ScratchDirectory::list(prefix_).size(), 1U);
}

TEST_F(ScratchDirectoryTest, IsTakenOverAgainWhereItWasAbandoned) {
  make_and_die();
  ScratchDirectory::take_abandoned(prefix_).at(0).abandon();
  EXPECT_EQ(ScratchDirectory::take_abandoned(prefix_).size(), 1U);
}

}  // namespace
}  // namespace evictd::stage
