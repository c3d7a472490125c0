// SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evictd::core {
namespace {

TEST(NearestName, CountsEditsAndSwapsButNotCase) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("evictionHard", "EvictionHARD"), 0U);
  EXPECT_EQ(edit_distance("evictionHrad", "evictionHard"), 1U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestName, FindsTheNameMeantAndTheFirstOfEquals) {
  const std::vector<std::string> known = {"pollInterval", "podGlobs", "nodeName"};
  EXPECT_EQ(nearest_name("poolInterval", known), "pollInterval");
  EXPECT_EQ(nearest_name("nodename", known), "nodeName");
  const std::vector<std::string> equals = {"ab", "ac"};
  EXPECT_EQ(nearest_name("ad", equals), "ab");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(NearestName, TakesABeginningForWhatItIsTheBeginningOf) {
  const std::vector<std::string> resources = {"cpu", "memory", "ephemeral-storage", "pid"};
  EXPECT_EQ(nearest_name("mem", resources), "memory");
  EXPECT_EQ(nearest_name("EPHEMERAL", resources), "ephemeral-storage");
  EXPECT_EQ(nearest_name("pi", resources), "pid");
  const std::vector<std::string> keys = {"evictionSoftGracePeriod", "evictionSoft"};
  EXPECT_EQ(nearest_name("evictionSof", keys), "evictionSoft");
  EXPECT_EQ(nearest_name("evictionSoft", keys), "evictionSoft");
}

TEST(NearestName, ComparesOnlyTheBeginningOfAHugeName) {
  const std::string huge(1'000'000, 'x');
  EXPECT_EQ(edit_distance(huge, "x"), 63U);
}

}  // namespace
}  // namespace evictd::core
