// SPDX-License-Identifier: Apache-2.0
#include "kube/backoff.h"

#include <gtest/gtest.h>

namespace evictd::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, DoublesUpToABound) {
  Backoff backoff({.first = seconds(1), .most = seconds(5)});
  for (const int expected : {1, 2, 4, 5, 5}) {
    EXPECT_EQ(backoff.failed(0), seconds(expected));
  }
  backoff.succeeded();
  EXPECT_EQ(backoff.failed(0), seconds(1));
}

TEST(Backoff, LeavesOutARandomPartOfOneHalf) {
  Backoff backoff({.first = seconds(8), .most = seconds(8)});
  EXPECT_EQ(backoff.failed(0.5), seconds(6));
  EXPECT_GE(backoff.failed(0.999), seconds(4));
}

TEST(Backoff, WaitsAsLongAsAServerAsksButNotForEver) {
  Backoff backoff({.first = milliseconds(100), .most = seconds(1)});
  EXPECT_EQ(backoff.failed(0, seconds(20)), seconds(20));
  EXPECT_EQ(backoff.failed(0, std::chrono::hours(9)), std::chrono::minutes(2));
}

}  // namespace
}  // namespace evictd::kube
