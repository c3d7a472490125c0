// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::base {
namespace {

TEST(OneLine, ControlCharactersBecomeVisible) {
  EXPECT_EQ(one_line("a\nb\r\tc\x1b[2J\x7f"), "a\\x0ab\\x0d\\x09c\\x1b[2J\\x7f");
  EXPECT_EQ(one_line(std::string("\0", 1)), "\\x00");
}

TEST(OneLine, AllElseStaysAsItIs) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("kube-system/dns: \"\xc3\xa9\" \\ '"), "kube-system/dns: \"\xc3\xa9\" \\ '");
}

}  // namespace
}  // namespace evictd::base
