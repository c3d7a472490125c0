// SPDX-License-Identifier: Apache-2.0
#include "core/control_character.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::core {
namespace {

TEST(ControlCharacter, IsBelowASpaceOrDelOrFromU0080ToU009f) {
  EXPECT_EQ(control_character_length(std::string_view("\0", 1)), 1U);
  EXPECT_EQ(control_character_length("\x1b[2J"), 1U);
  EXPECT_EQ(control_character_length("\x7f"), 1U);
  EXPECT_EQ(control_character_length("\xc2\x80"), 2U);
  EXPECT_EQ(control_character_length("\xc2\x9f"), 2U);
  EXPECT_EQ(control_character_code("\x1b[2J"), 0x1bU);
  EXPECT_EQ(control_character_code("\xc2\x9b"
                                   "2J"),
            0x9bU);
}

TEST(ControlCharacter, IsNothingElse) {
  // A space, a no-break space, letters of two and three bytes that have such bytes, half a one.
  for (const std::string_view text :
       {"", " ", "a\x1b", "\xc2\xa0", "\xc3\x85", "\xe2\x82\x80", "\xc2", "\x9b"}) {
    EXPECT_EQ(control_character_length(text), 0U) << text;
  }
}

TEST(ControlCharacter, IsFoundAnywhereInAText) {
  EXPECT_TRUE(has_control_character("web\xc2\x85"));
  EXPECT_TRUE(has_control_character("we\tb"));
  EXPECT_FALSE(
      has_control_character("w\xc3\xa9"
                            "b \xc2\xa0\xe2\x82\x80"));
}

}  // namespace
}  // namespace evictd::core
