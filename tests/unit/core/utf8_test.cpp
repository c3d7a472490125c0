// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <gtest/gtest.h>

#include <string_view>

namespace evictd::core {
namespace {

TEST(Utf8, ACharacterHasOneToFourBytes) {
  std::size_t length = 0;
  for (const std::string_view character : {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x92\xa9"}) {
    const Utf8Part part = first_utf8_part(character);
    EXPECT_TRUE(part.is_character);
    EXPECT_EQ(part.length, ++length);
  }
  EXPECT_TRUE(first_utf8_part(std::string_view("\0", 1)).is_character);
}

TEST(Utf8, WhatIsNoneIsTakenUpToTheByteThatDoesNotContinueIt) {
  struct Case {
    std::string_view text;
    std::size_t length;
  };
  for (const Case& one : {Case{"\xff", 1}, Case{"\x80z", 1}, Case{"\xc3(", 1}, Case{"\xe2\x82", 2},
                          Case{"\xe2\x82z", 2}, Case{"\xf0\x9f\x92\xff", 3}}) {
    const Utf8Part part = first_utf8_part(one.text);
    EXPECT_FALSE(part.is_character);
    EXPECT_EQ(part.length, one.length);
  }
}

TEST(Utf8, OverlongFormsSurrogatesAndWhatIsBeyondAllPlanesAreNone) {
  for (const std::string_view text : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                                      "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    const Utf8Part part = first_utf8_part(text);
    EXPECT_FALSE(part.is_character);
    EXPECT_EQ(part.length, 1U);
  }
}

TEST(Utf8, OfAnEmptyTextThereIsNoPart) {
  EXPECT_EQ(first_utf8_part("").length, 0U);
}

TEST(Utf8, FindsTheFirstByteThatIsPartOfNoCharacter) {
  EXPECT_EQ(find_invalid_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("\xc0\x80"), 0U);          // overlong
  EXPECT_EQ(find_invalid_utf8("a\xe0\x80\x80"), 1U);     // overlong
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0U);      // surrogate
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("ab\xe2\x82"), 2U);        // cut off
  EXPECT_EQ(find_invalid_utf8("\x80"), 0U);              // continues nothing
  EXPECT_EQ(find_invalid_utf8("\xff"), 0U);
}

}  // namespace
}  // namespace evictd::core
