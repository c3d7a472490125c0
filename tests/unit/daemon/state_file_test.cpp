// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/state_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

TEST(StateFile, IsReadAsItWasWritten) {
  const test::FakeTree tree;
  const std::string path = tree.real("/state");
  ASSERT_TRUE(replace_state_file(path, "one"));
  ASSERT_TRUE(replace_state_file(path, "another"));
  EXPECT_EQ(read_state_file(path).value(), "another");
}

TEST(StateFile, ThatIsNotThereIsNotFound) {
  const test::FakeTree tree;
  EXPECT_EQ(read_state_file(tree.real("/state")).error().code, Errc::kNotFound);
}

TEST(StateFile, AFifoInItsPlaceIsAnErrorAndNoWait) {
  const test::FakeTree tree;
  const std::string path = tree.real("/state");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Result<std::string> read = read_state_file(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kInvalid);
  EXPECT_EQ(read.error().message(), path + ": not a regular file; allowed: a file");
}

TEST(StateFile, AFifoInItsPlaceIsNotReplaced) {
  const test::FakeTree tree;
  const std::string path = tree.real("/state");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  tree.link("/link", "state");
  for (const std::string& one : {path, tree.real("/link").string()}) {
    const Result<> replaced = replace_state_file(one, "text");
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().message(), "replace " + one + ": not a regular file");
  }
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(StateFile, AFifoBesideItIsAnErrorAndNoWait) {
  const test::FakeTree tree;
  const std::string path = tree.real("/state");
  ASSERT_TRUE(replace_state_file(path, "old"));
  ASSERT_EQ(::mkfifo((path + ".new").c_str(), 0600), 0);
  const Result<> replaced = replace_state_file(path, "new");
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().message(), "open " + path + ".new: not a regular file");
  EXPECT_EQ(read_state_file(path).value(), "old");
}

TEST(StateFile, ADirectoryInItsPlaceIsAnError) {
  const test::FakeTree tree;
  EXPECT_EQ(read_state_file(tree.real("/")).error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace evictd::daemon
