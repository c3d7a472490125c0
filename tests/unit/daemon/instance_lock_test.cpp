// SPDX-License-Identifier: Apache-2.0
#include "daemon/instance_lock.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

/// A directory within `tree`: the fixture holds a lock of its own on the tree's.
std::string pods_in(const test::FakeTree& tree) {
  tree.make_directory("/pods");
  return tree.real("/pods");
}

TEST(InstanceLock, ASecondOneOfTheSameTreeIsRefused) {
  const test::FakeTree tree;
  const auto first = InstanceLock::acquire(pods_in(tree));
  ASSERT_TRUE(first) << first.error().message();
  const auto second = InstanceLock::acquire(pods_in(tree));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_NE(second.error().message().find(pods_in(tree) + " is already watched by another evictd"),
            std::string::npos);
}

TEST(InstanceLock, EndsWithItsOwner) {
  const test::FakeTree tree;
  {
    const auto first = InstanceLock::acquire(pods_in(tree));
    ASSERT_TRUE(first);
  }
  EXPECT_TRUE(InstanceLock::acquire(pods_in(tree)));
}

TEST(InstanceLock, TwoTreesMayBeWatchedAtOnce) {
  const test::FakeTree one;
  const test::FakeTree other;
  const auto first = InstanceLock::acquire(pods_in(one));
  const auto second = InstanceLock::acquire(pods_in(other));
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(InstanceLock, AMissingDirectoryIsNamed) {
  const auto lock = InstanceLock::acquire("/nonexistent/kubepods");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Errc::kNotFound);
  EXPECT_NE(lock.error().message().find("/nonexistent/kubepods"), std::string::npos);
}

}  // namespace
}  // namespace evictd::daemon
