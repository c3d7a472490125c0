// SPDX-License-Identifier: Apache-2.0
#include "base/path_watch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/fake_tree.h"

namespace evictd::base {
namespace {

class Watched : public testing::Test {
 protected:
  [[nodiscard]] PathWatch watch(const std::string& path) const {
    PathWatch watch({tree_.real(path).string()});
    EXPECT_TRUE(watch.take_changes()) << "nobody has looked yet";
    return watch;
  }
  [[nodiscard]] static bool is_told(const PathWatch& watch) {
    pollfd ready{watch.fd(), POLLIN, 0};
    return ::poll(&ready, 1, 0) == 1;
  }

  test::FakeTree tree_;
};

TEST_F(Watched, PathThatComesIsTold) {
  PathWatch watch = this->watch("/pods");
  EXPECT_FALSE(is_told(watch));
  tree_.make_directory("/pods");
  EXPECT_TRUE(is_told(watch));
  EXPECT_TRUE(watch.take_changes());
  EXPECT_FALSE(is_told(watch));
  EXPECT_FALSE(watch.take_changes()) << "told once";
}

TEST_F(Watched, ReportsOfOtherEntriesAreReadAndTellNothing) {
  PathWatch watch = this->watch("/pods");
  tree_.make_directory("/state");
  EXPECT_TRUE(is_told(watch));
  EXPECT_FALSE(watch.take_reports());
  EXPECT_FALSE(is_told(watch));
}

TEST_F(Watched, ReportsFollowThePathFromItsNearestDirectoryToItself) {
  PathWatch watch = this->watch("/a/pods");
  tree_.make_directory("/a");
  EXPECT_TRUE(watch.take_reports());
  tree_.make_directory("/a/pods");
  EXPECT_TRUE(watch.take_reports());
  tree_.remove("/a/pods");
  EXPECT_TRUE(watch.take_reports());
  EXPECT_FALSE(watch.take_reports()) << "told once";
}

TEST_F(Watched, PathThatGoesAndComesAnewIsToldEachTime) {
  tree_.make_directory("/pods");
  PathWatch watch = this->watch("/pods");
  for (int round = 0; round < 3; ++round) {
    tree_.remove("/pods");
    EXPECT_TRUE(watch.take_changes());
    tree_.make_directory("/pods");
    EXPECT_TRUE(watch.take_changes());
  }
}

TEST_F(Watched, PathThatIsMovedAwayAndThereIsTold) {
  tree_.make_directory("/pods");
  PathWatch watch = this->watch("/pods");
  tree_.rename("/pods", "/away");
  EXPECT_TRUE(watch.take_changes());
  tree_.rename("/away", "/pods");
  EXPECT_TRUE(watch.take_changes());
}

TEST_F(Watched, PathIsToldThoughDirectoriesAboveItComeOneByOne) {
  PathWatch watch = this->watch("/a/b/pods");
  for (const char* made : {"/a", "/a/b", "/a/b/pods"}) {
    tree_.make_directory(made);
    EXPECT_TRUE(is_told(watch)) << made;
    EXPECT_TRUE(watch.take_changes()) << made;
  }
}

TEST_F(Watched, PathIsToldThoughAllOfItsWayCameAtOnce) {
  PathWatch watch = this->watch("/a/b/pods");
  tree_.make_directory("/a/b");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/b/pods");
  EXPECT_TRUE(watch.take_changes());
}

TEST_F(Watched, PathIsToldAgainAfterItsWholeWayWasRemoved) {
  tree_.make_directory("/a/b/pods");
  PathWatch watch = this->watch("/a/b/pods");
  tree_.remove("/a");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/b");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/b/pods");
  EXPECT_TRUE(watch.take_changes());
}

TEST_F(Watched, PathIsToldWhenTheDirectoryAboveItIsMovedAway) {
  tree_.make_directory("/a/pods");
  PathWatch watch = this->watch("/a/pods");
  tree_.rename("/a", "/b");
  EXPECT_TRUE(watch.take_changes());
}

TEST_F(Watched, PathIsFoundToBeElsewhereThoughNothingTold) {
  tree_.make_directory("/a/b/pods");
  PathWatch watch = this->watch("/a/b/pods");
  tree_.rename("/a", "/away");
  ASSERT_FALSE(is_told(watch)) << "as of a cgroup that was removed";
  EXPECT_TRUE(watch.take_changes()) << "the look at a poll finds it";
  EXPECT_FALSE(watch.take_changes()) << "once";
  tree_.make_directory("/a");
  EXPECT_TRUE(is_told(watch)) << "it is watched where it is awaited now";
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/b");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/b/pods");
  EXPECT_TRUE(watch.take_changes());
}

TEST_F(Watched, NeighboursOfAPathAreNotTold) {
  tree_.make_directory("/a/pods");
  PathWatch watch = this->watch("/a/pods/");
  tree_.make_directory("/a/other");
  tree_.write("/a/pods/file", "");
  tree_.make_directory("/b");
  EXPECT_FALSE(watch.take_changes());
}

TEST_F(Watched, PathsOfOneDirectoryAreToldEach) {
  PathWatch watch({tree_.real("/a/one").string(), tree_.real("/a/two").string()});
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/two");
  EXPECT_TRUE(watch.take_changes());
  tree_.make_directory("/a/one");
  EXPECT_TRUE(watch.take_changes());
  EXPECT_FALSE(watch.problem());
}

TEST(PathWatch, OfNothingTellsNothing) {
  PathWatch watch{std::vector<std::string>{}};
  EXPECT_EQ(watch.fd(), -1);
  EXPECT_FALSE(watch.take_changes());
  EXPECT_FALSE(watch.problem());
}

}  // namespace
}  // namespace evictd::base
