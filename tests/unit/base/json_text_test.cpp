// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace evictd::base {
namespace {

using Json = nlohmann::ordered_json;

std::string error_of(const std::string& text, const JsonLimits& limits = {}) {
  const Result<Json> ordered = parse_json<Json>(text, limits);
  const Result<nlohmann::json> sorted = parse_json<nlohmann::json>(text, limits);
  EXPECT_EQ(ordered.has_value(), sorted.has_value()) << text;
  if (ordered) {
    return "none";
  }
  EXPECT_EQ(ordered.error().message(), sorted.error().message());
  return ordered.error().message();
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonText, IsReadAsTheLibraryReadsIt) {
  for (const char* const text :
       {"null", "true", "-1", "18446744073709551615", "1.5e3", R"("tex\u0074 [[[ \" {{")", "[]",
        "{}", R"({"z": [1, {"a": []}, [[2], {}], -0.5], "b": {"c": null, "d": "e"}, "a": false})",
        R"([{"a": 1}, {"a": 1, "b": {"a": 1}}, {"a": 2}])"}) {
    EXPECT_EQ(parse_json<Json>(text).value().dump(), Json::parse(text).dump());
    EXPECT_EQ(parse_json<nlohmann::json>(text).value(), nlohmann::json::parse(text));
  }
}

TEST(JsonText, WhatIsNoJsonIsAnError) {
  for (const char* const text : {"", " ", "{", "{\"a\":", "\"", "\"\\", "]]]][[", "nul", "1 2",
                                 "[1,]", "{1: 2}", "1e999", "\"\xff\"", "{\"a\" 1}"}) {
    EXPECT_EQ(error_of(text), "not JSON") << text;
  }
}

TEST(JsonText, ThatNestsTooDeepIsRefusedBeforeItIsRead) {
  EXPECT_EQ(error_of(nested(64)), "none");
  EXPECT_EQ(error_of(nested(65)), "nests deeper than 64 levels");
  EXPECT_EQ(error_of(std::string(1'000'000, '[')), "nests deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += R"({"a":)";
  }
  EXPECT_EQ(error_of(objects), "nests deeper than 64 levels");
  EXPECT_EQ(error_of("[[[]]]", {.depth = 2}), "nests deeper than 2 levels");
}

TEST(JsonText, AKeyThatIsThereTwiceIsNamed) {
  EXPECT_EQ(error_of(R"({"a": 1, "b": 2, "a": 1})"), "the key \"a\" is there twice");
  EXPECT_EQ(error_of(R"([{"x": {"when": {}, "w\u0068en": []}}])"),
            "the key \"when\" is there twice");
  EXPECT_EQ(error_of(R"({"": 1, "": 1})"), "the key \"\" is there twice");
  EXPECT_EQ(error_of(R"({"a\nb": 1, "a\nb": 1})"), R"(the key "a\nb" is there twice)");
  const std::string huge = "\"" + std::string(100'000, 'k') + "\":1";
  EXPECT_EQ(error_of("{" + huge + "," + huge + "}"),
            "the key \"" + std::string(80, 'k') + "\"... is there twice");
}

TEST(JsonText, AnObjectOfVeryManyMembersIsRefused) {
  std::string text = "{";
  for (int i = 0; i < 1024; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(error_of(text + "}"), "none");
  EXPECT_EQ(error_of(text + ",\"more\":0}"), "an object of more than 1024 members");
}

}  // namespace
}  // namespace evictd::base
