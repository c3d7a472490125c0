// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_places.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

TEST(FixedParent, IsTheDirectoryAboveTheFirstWildcard) {
  EXPECT_EQ(fixed_parent("/system.slice/batch-*.service"), "/system.slice");
  EXPECT_EQ(fixed_parent("/a/b?/c"), "/a");
  EXPECT_EQ(fixed_parent("/a/[bc]/d*"), "/a");
}

TEST(FixedParent, OfAPathWithoutAWildcardIsItsParent) {
  EXPECT_EQ(fixed_parent("/system.slice/batch.service"), "/system.slice");
}

TEST(FixedParent, OfWhatIsDirectlyBelowTheRootIsTheRoot) {
  EXPECT_EQ(fixed_parent("/batch"), "");
  EXPECT_EQ(fixed_parent("/*"), "");
}

}  // namespace
}  // namespace evictd::daemon
