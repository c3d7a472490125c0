// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace evictd::base {
namespace {

TEST(OneLine, ControlCharactersBecomeVisible) {
  EXPECT_EQ(one_line("a\nb\r\tc\x1b[2J\x7f"), "a\\x0ab\\x0d\\x09c\\x1b[2J\\x7f");
  EXPECT_EQ(one_line(std::string("\0", 1)), "\\x00");
}

TEST(OneLine, AControlCharacterOfTwoBytesBecomesVisibleToo) {
  EXPECT_EQ(one_line("a\xc2\x9b"
                     "2J\xc2\x85z"),
            "a\\xc2\\x9b2J\\xc2\\x85z");
}

TEST(OneLine, BytesThatAreNoUtf8AreReplacedAsJsonHasThem) {
  for (const std::string_view text :
       {"a\xffz", "\x9b[J", "\xc3(", "\xe2\x82", "\xe2\x82(", "\xed\xa0\x80", "\xc0\xaf",
        "\xf0\x9f\x92", "\xf4\x90\x80\x80", "\xe2\x82\xe2\x82\xac"}) {
    const std::string dumped =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    EXPECT_EQ(one_line(text), dumped.substr(1, dumped.size() - 2));
    EXPECT_NE(one_line(text).find("\xef\xbf\xbd"), std::string::npos);
  }
}

TEST(OneLine, OfJsonIsJsonOfTheSameValue) {
  const nlohmann::json value = {{"a\x7f",
                                 "b\xc2\x9b"
                                 "2J\n\xc3\xa9"}};
  const std::string line = one_line_json(value.dump());
  EXPECT_EQ(line, "{\"a\\u007f\":\"b\\u009b2J\\n\xc3\xa9\"}");
  EXPECT_EQ(nlohmann::json::parse(line), value);
}

TEST(OneLine, AllElseStaysAsItIs) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("kube-system/dns: \"\xc3\xa9\" \\ '"), "kube-system/dns: \"\xc3\xa9\" \\ '");
}

}  // namespace
}  // namespace evictd::base
