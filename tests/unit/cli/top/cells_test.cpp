// SPDX-License-Identifier: Apache-2.0
#include "cli/top/cells.h"

#include <gtest/gtest.h>

#include "utf8_locale.h"

namespace evictd::cli::top {
namespace {

class Cells : public testing::Test {
 protected:
  void SetUp() override { use_utf8_locale(); }
};

TEST_F(Cells, ControlCharactersAreShownAndNotObeyed) {
  EXPECT_EQ(printable("a\x1b[2J\n\x07", Charset::kUtf8), "a\\x1b[2J\\x0a\\x07");
  EXPECT_EQ(printable("\xc2\x9b", Charset::kUtf8), "\\xc2\\x9b");
}

TEST_F(Cells, CharactersWithoutWidthAreReplaced) {
  // A combining accent, and a mark that turns the direction of what follows.
  EXPECT_EQ(printable("e\xcc\x81", Charset::kUtf8), "e\xef\xbf\xbd");
  EXPECT_EQ(printable("\xe2\x80\xaex", Charset::kUtf8), "\xef\xbf\xbdx");
}

TEST_F(Cells, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(printable("a\xff", Charset::kUtf8), "a\xef\xbf\xbd");
  EXPECT_EQ(printable("a\xff", Charset::kAscii), "a?");
}

TEST_F(Cells, ATerminalOfAsciiGetsNothingElse) {
  EXPECT_EQ(printable("\xe6\x97\xa5-x", Charset::kAscii), "?-x");
  EXPECT_EQ(cut("abcdef", 4, Charset::kAscii), "abc~");
}

TEST_F(Cells, WideCharactersTakeTwo) {
  EXPECT_EQ(cells_of("\xe6\x97\xa5x"), 3U);
  EXPECT_EQ(left("\xe6\x97\xa5", 4, Charset::kUtf8), "\xe6\x97\xa5  ");
  EXPECT_EQ(right("\xe6\x97\xa5", 4, Charset::kUtf8), "  \xe6\x97\xa5");
}

TEST_F(Cells, AWideCharacterThatDoesNotFitIsLeftOutWhole) {
  const std::string two = "\xe6\x97\xa5\xe6\x9c\xac";
  EXPECT_EQ(cut(two, 4, Charset::kUtf8), two);
  EXPECT_EQ(cut(two, 3, Charset::kUtf8), "\xe6\x97\xa5\xe2\x80\xa6");
  EXPECT_EQ(left(two, 2, Charset::kUtf8), "\xe2\x80\xa6 ");
  EXPECT_EQ(cut(two, 0, Charset::kUtf8), "");
}

}  // namespace
}  // namespace evictd::cli::top
