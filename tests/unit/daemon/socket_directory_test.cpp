// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/socket_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

mode_t permissions_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST(SocketDirectory, IsMadeForEveryUserWhateverTheUmask) {
  const test::FakeTree tree;
  const mode_t before = ::umask(0077);
  const Result<> made = make_socket_directory(tree.real("/run/evictd/notify.sock"));
  ::umask(before);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(permissions_of(tree.real("/run")), 0755U);
  EXPECT_EQ(permissions_of(tree.real("/run/evictd")), 0755U);
  EXPECT_FALSE(std::filesystem::exists(tree.real("/run/evictd/notify.sock")));
}

TEST(SocketDirectory, StaysAsItIsWhereItIsThere) {
  const test::FakeTree tree;
  tree.make_directory("/run");
  ASSERT_EQ(::chmod(tree.real("/run").c_str(), 0700), 0);
  ASSERT_TRUE(make_socket_directory(tree.real("/run/notify.sock")));
  EXPECT_EQ(permissions_of(tree.real("/run")), 0700U);
}

TEST(SocketDirectory, ThatCannotBeMadeIsNamed) {
  const test::FakeTree tree;
  tree.write("/file", "");
  const Result<> made = make_socket_directory(tree.real("/file/evictd/notify.sock"));
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find(tree.real("/file").string()), std::string::npos)
      << made.error().message();
}

TEST(SocketDirectory, OfABareNameIsTheCurrentOne) {
  EXPECT_TRUE(make_socket_directory("notify.sock"));
}

}  // namespace
}  // namespace evictd::daemon
