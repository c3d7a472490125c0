// SPDX-License-Identifier: Apache-2.0
#include "daemon/instance_lock.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

TEST(InstanceLock, ASecondOneOfTheSameTreeIsRefused) {
  const test::FakeTree tree;
  const auto first = InstanceLock::acquire(tree.path());
  ASSERT_TRUE(first) << first.error().message();
  const auto second = InstanceLock::acquire(tree.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_NE(second.error().message().find(tree.path() + " is already watched by another evictd"),
            std::string::npos);
}

TEST(InstanceLock, EndsWithItsOwner) {
  const test::FakeTree tree;
  {
    const auto first = InstanceLock::acquire(tree.path());
    ASSERT_TRUE(first);
  }
  EXPECT_TRUE(InstanceLock::acquire(tree.path()));
}

TEST(InstanceLock, TwoTreesMayBeWatchedAtOnce) {
  const test::FakeTree one;
  const test::FakeTree other;
  const auto first = InstanceLock::acquire(one.path());
  const auto second = InstanceLock::acquire(other.path());
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
