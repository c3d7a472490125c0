// SPDX-License-Identifier: Apache-2.0
#include "cli/top/row_builder.h"

#include <gtest/gtest.h>

#include <string>

#include "utf8_locale.h"

namespace evictd::cli::top {
namespace {

std::string bar_text(const BarAmounts& amounts, std::size_t width, Charset charset) {
  RowBuilder row(width, charset);
  add_bar(row, amounts, width, {}, charset);
  std::string text;
  for (const Span& span : row.row().spans) {
    text += span.text;
  }
  return text;
}

class RowBuilding : public testing::Test {
 protected:
  void SetUp() override { use_utf8_locale(); }
};

TEST_F(RowBuilding, CutsOffWhatIsBeyondTheScreen) {
  RowBuilder row(6, Charset::kAscii);
  row.add("abcd").add_right("7", 5).add("never");
  std::string text;
  for (const Span& span : row.row().spans) {
    text += span.text;
  }
  EXPECT_EQ(text, "abcd 7");
}

TEST_F(RowBuilding, ATextAtTheEndThatDoesNotFitIsLeftOut) {
  RowBuilder row(5, Charset::kAscii);
  row.add("abc").end_with("long", Style::kTitle);
  EXPECT_EQ(row.row().spans.back().text, "  ");
}

TEST_F(RowBuilding, ABarShowsWhatIsUsedAndItsMark) {
  EXPECT_EQ(bar_text({.used = 4, .mark = 8, .full = 10}, 10, Charset::kAscii), "####....|.");
  EXPECT_EQ(bar_text({.used = 9, .mark = 5, .full = 10}, 10, Charset::kAscii), "#####|###.");
}

TEST_F(RowBuilding, ABarHasEighthsOfACell) {
  EXPECT_EQ(bar_text({.used = 5, .mark = 8, .full = 8}, 1, Charset::kUtf8), "\xe2\x94\x83");
  EXPECT_EQ(bar_text({.used = 5, .mark = 0, .full = 8}, 1, Charset::kUtf8), "\xe2\x96\x8b");
}

TEST_F(RowBuilding, ABarShowsTheLeastUsageAndAMarkAtItsEnd) {
  EXPECT_EQ(bar_text({.used = 1, .mark = 1000, .full = 1000}, 4, Charset::kAscii), "#..|");
  EXPECT_EQ(bar_text({.used = 0, .mark = 0, .full = 0}, 4, Charset::kAscii), "....");
}

TEST_F(RowBuilding, ABarHoldsAmountsThatMakeNoSense) {
  EXPECT_EQ(bar_text({.used = -5, .mark = 20, .full = 10}, 3, Charset::kAscii), "..|");
  EXPECT_EQ(bar_text({.used = 50, .mark = 5, .full = 10}, 3, Charset::kAscii), "#|#");
}

TEST_F(RowBuilding, WhatIsPastTheMarkHasAStyleOfItsOwn) {
  RowBuilder row(4, Charset::kAscii);
  add_bar(row, {.used = 4, .mark = 2, .full = 4}, 4,
          {.before_mark = Style::kGood, .past_mark = Style::kBad}, Charset::kAscii);
  const Row made = row.row();
  ASSERT_EQ(made.spans.size(), 4U);
  EXPECT_EQ(made.spans[0].style, Style::kGood);
  EXPECT_EQ(made.spans[3].style, Style::kBad);
}

}  // namespace
}  // namespace evictd::cli::top
