// SPDX-License-Identifier: Apache-2.0
#include "daemon/request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace evictd::daemon {
namespace {

TEST(Request, IsAnObjectWithTextsAndNumbers) {
  EXPECT_EQ(parse_request(R"({"op": "pause", "for_seconds": 5})")["for_seconds"], 5);
}

TEST(Request, BracketsInATextDoNotNest) {
  EXPECT_EQ(parse_request(R"({"op": "[[[[\"[[[[\\"})")["op"], R"([[[["[[[[\)");
  EXPECT_EQ(parse_request(R"([[], [], [], {}])").size(), 4U);
}

TEST(Request, ThatNestsDeeperThanAnyIsNone) {
  EXPECT_TRUE(parse_request("[[[]]]").is_discarded());
  EXPECT_TRUE(parse_request(std::string(60'000, '[')).is_discarded());
  EXPECT_TRUE(parse_request(R"({"op": {"a": {"b": 1}}})").is_discarded());
}

TEST(Request, ThatSaysAThingTwiceIsNone) {
  EXPECT_TRUE(parse_request(R"({"op": "pause", "op": "resume"})").is_discarded());
}

TEST(Request, ThatIsNoJsonIsNone) {
  for (const char* const line : {"", "{", "{\"op\":", "\"", "\"\\", "]]]][[", "nul"}) {
    EXPECT_TRUE(parse_request(line).is_discarded()) << line;
  }
}

}  // namespace
}  // namespace evictd::daemon
