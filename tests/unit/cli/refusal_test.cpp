// SPDX-License-Identifier: Apache-2.0
#include "cli/refusal.h"

#include <gtest/gtest.h>

namespace evictd::cli {
namespace {

TEST(Refusal, IsTheTextOfAnErrorInPlaceOfAnAnswer) {
  EXPECT_EQ(refusal_in(R"({"error":"at most 16 connections"})"), "evictd: at most 16 connections");
}

TEST(Refusal, IsNoneInAnyOtherAnswer) {
  for (const char* const answer : {"", "[]", R"({"version":"1","error":"of something else"})",
                                   R"({"error":)", R"({"error":5})", R"({"errors":"x"})"}) {
    EXPECT_EQ(refusal_in(answer), "") << answer;
  }
}

}  // namespace
}  // namespace evictd::cli
