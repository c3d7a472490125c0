// SPDX-License-Identifier: Apache-2.0
#include "probe/tracing_kind.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace evictd::probe {
namespace {

TEST(TracingKind, IsRefusedWhereATracepointWouldBeLookedAt) {
  EXPECT_TRUE(is_refused(EPERM, EINVAL));
}

TEST(TracingKind, IsNotRefusedWhereItIsLookedAt) {
  EXPECT_FALSE(is_refused(EINVAL, EINVAL));
  EXPECT_FALSE(is_refused(EINVAL, EPERM));
}

TEST(TracingKind, IsNotToBlameWhereNobodyMayLoadAnything) {
  EXPECT_FALSE(is_refused(EPERM, EPERM));
}

}  // namespace
}  // namespace evictd::probe
