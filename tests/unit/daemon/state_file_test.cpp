// SPDX-License-Identifier: Apache-2.0
#include "daemon/state_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
  EXPECT_EQ(read.error().message(), path + ": no regular file; allowed: a file");
}

TEST(StateFile, ADirectoryInItsPlaceIsAnError) {
  const test::FakeTree tree;
  EXPECT_EQ(read_state_file(tree.real("/")).error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace evictd::daemon
