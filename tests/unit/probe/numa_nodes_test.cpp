// SPDX-License-Identifier: Apache-2.0
#include "probe/numa_nodes.h"

#include <gtest/gtest.h>

namespace evictd::probe {
namespace {

TEST(NumaNodes, AreCountedInAListOfTheKernel) {
  EXPECT_EQ(count_of_list("0\n"), 1U);
  EXPECT_EQ(count_of_list("0-1\n"), 2U);
  EXPECT_EQ(count_of_list("0-3,8,10-11\n"), 7U);
}

TEST(NumaNodes, OfWhatIsNoListAreNone) {
  for (const char* text : {"", "\n", "-", "x", "3-1", ","}) {
    EXPECT_EQ(count_of_list(text), 0U) << text;
  }
}

}  // namespace
}  // namespace evictd::probe
