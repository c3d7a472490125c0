// SPDX-License-Identifier: Apache-2.0
#include "document/scalar.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace evictd::document {
namespace {

TEST(WholeNumber, HasAnOptionalSignAndBase) {
  EXPECT_EQ(whole_number("12"), 12);
  EXPECT_EQ(whole_number("+12"), 12);
  EXPECT_EQ(whole_number("-0x1F"), -31);
  EXPECT_EQ(whole_number("0b101"), 5);
  EXPECT_EQ(whole_number("0o17"), 15);
  EXPECT_EQ(whole_number("017"), 15);
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(whole_number("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "+-1", "0x", "08", "12a", "1.0", "9223372036854775808",
                           "-9223372036854775809", "1e3", " 1"}) {
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
  }
}

TEST(WholeNumber, AnUnderscoreStandsBetweenTwoDigitsOrBehindAPrefix) {
  EXPECT_EQ(whole_number("1_000"), 1000);
  EXPECT_EQ(whole_number("-1_000_000"), -1'000'000);
  EXPECT_EQ(whole_number("0x_1f"), 31);
  EXPECT_EQ(whole_number("0b1_0"), 2);
  EXPECT_EQ(whole_number("0o_1_7"), 15);
  EXPECT_EQ(whole_number("0_17"), 15);
  for (const char* text : {"1__0", "10_", "_1", "-_1", "_", "0x_", "0x__1", "0x1_", "0_", "0__1",
                           "_0x1", "0_x1", "1__", "__1"}) {
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
  }
}

TEST(YamlFloat, IsAWholeNumberWithoutAFraction) {
  EXPECT_EQ(whole_yaml_float("1e2"), 100);
  EXPECT_EQ(whole_yaml_float("5.0"), 5);
  EXPECT_EQ(whole_yaml_float("5."), 5);
  EXPECT_EQ(whole_yaml_float("+.5e1"), 5);
  EXPECT_EQ(whole_yaml_float("-1.5E1"), -15);
  for (const char* text : {"", "5.5", "1e-1", "1e19", "1e400", "inf", "nan", "1_0.0", "+-5", "5e",
                           ".", "0x1p3", "9223372036854775808"}) {
    EXPECT_EQ(whole_yaml_float(text), std::nullopt) << text;
  }
}

Node scalar(std::string text, bool plain = true) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::move(text);
  node.plain = plain;
  return node;
}

TEST(Truth, HasTheWordsOfItsNotation) {
  for (const char* text : {"true", "True", "TRUE"}) {
    EXPECT_EQ(yaml_truth(text), true) << text;
    EXPECT_EQ(flag_truth(text), true) << text;
    EXPECT_EQ(json_scalar(scalar(text)), true) << text;
  }
  for (const char* text : {"n", "no", "OFF"}) {
    EXPECT_EQ(yaml_truth(text), false) << text;
    EXPECT_EQ(flag_truth(text), std::nullopt) << text;
    EXPECT_EQ(json_scalar(scalar(text)), nlohmann::json(text));
  }
  EXPECT_EQ(flag_truth("t"), true);
  EXPECT_EQ(flag_truth("0"), false);
  EXPECT_EQ(yaml_truth("t"), std::nullopt);
}

TEST(JsonScalar, KeepsTheSignAndSizeOfWholeNumbers) {
  EXPECT_TRUE(json_scalar(scalar("+5")).is_number_unsigned());
  EXPECT_EQ(json_scalar(scalar("-9223372036854775808")), INT64_MIN);
  EXPECT_EQ(json_scalar(scalar("18446744073709551615")), UINT64_MAX);
  EXPECT_TRUE(json_scalar(scalar("18446744073709551616")).is_number_float());
  EXPECT_EQ(json_scalar(scalar("5", false)), nlohmann::json("5"));
}

TEST(JsonScalar, LeavesSpellingsOfOtherNotationsAsText) {
  for (const char* text : {"0X1F", "0b1", "0o7", "0x_1", "0x", "-0x1", "1_0", "+-5", "08", "5e"}) {
    EXPECT_EQ(json_scalar(scalar(text)), nlohmann::json(text));
  }
}

TEST(ObeyTag, WantsATextThatTheTagFits) {
  Node text = scalar("5");
  EXPECT_TRUE(obey_tag("tag:yaml.org,2002:str", text));
  EXPECT_EQ(json_scalar(text), nlohmann::json("5"));
  Node number = scalar("5", false);
  EXPECT_TRUE(obey_tag("tag:yaml.org,2002:float", number));
  EXPECT_EQ(json_scalar(number), 5);
  Node null = scalar("~");
  EXPECT_TRUE(obey_tag("tag:yaml.org,2002:null", null));
  EXPECT_TRUE(json_scalar(null).is_null());
  Node truth = scalar("yes");
  EXPECT_FALSE(obey_tag("tag:yaml.org,2002:bool", truth));
  EXPECT_FALSE(obey_tag("!custom", truth));
}

}  // namespace
}  // namespace evictd::document
