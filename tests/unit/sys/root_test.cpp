// SPDX-License-Identifier: Apache-2.0
#include "sys/root.h"

#include <gtest/gtest.h>

#include "support/fake_tree.h"

namespace evictd::sys {
namespace {

class RootOfFakeTree : public testing::Test {
 protected:
  test::FakeTree tree_;
  Root root_ = *Root::open(tree_.path());
};

TEST_F(RootOfFakeTree, ReadsAFileByItsAbsolutePath) {
  tree_.write("/proc/loadavg", "text\n");
  EXPECT_EQ(root_.read("/proc/loadavg").value(), "text\n");
  EXPECT_EQ(root_.read("proc/loadavg").value(), "text\n");
}

TEST_F(RootOfFakeTree, FollowsAbsoluteLinksWithinTheTree) {
  tree_.write("/proc/12/cgroup", "0::/\n");
  tree_.link("/proc/self", "/proc/12");
  EXPECT_EQ(root_.read("/proc/self/cgroup").value(), "0::/\n");
}

TEST_F(RootOfFakeTree, CannotBeLeft) {
  const Result<std::string> text = root_.read("/../../../../../../proc/self/mountinfo");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::kNotFound);
}

TEST_F(RootOfFakeTree, NamesTheFileThatIsNotThere) {
  const Result<std::string> text = root_.read("/proc/meminfo");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::kNotFound);
  EXPECT_EQ(text.error().message(), "open /proc/meminfo: No such file or directory");
}

TEST_F(RootOfFakeTree, RefusesALongerFileThanAskedFor) {
  tree_.write("/long", std::string(40'000, 'x'));
  EXPECT_EQ(root_.read("/long", 39'999).error().code, Errc::kExhausted);
  EXPECT_EQ(root_.read("/long", 40'000)->size(), 40'000U);
}

TEST_F(RootOfFakeTree, ListsDirectoriesSortedAndNoFiles) {
  tree_.make_directory("/d/b");
  tree_.make_directory("/d/a");
  tree_.write("/d/file", "");
  EXPECT_EQ(*root_.directories_in("/d"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(root_.directories_in("/none").error().code, Errc::kNotFound);
}

TEST(JoinPath, PutsOneSlashBetween) {
  EXPECT_EQ(join_path("/a", "b"), "/a/b");
  EXPECT_EQ(join_path("/a/", "/b"), "/a/b");
  EXPECT_EQ(join_path("/a", ""), "/a");
  EXPECT_EQ(join_path("", "b"), "/b");
  EXPECT_EQ(join_path("/a", "/"), "/a");
}

}  // namespace
}  // namespace evictd::sys
