// SPDX-License-Identifier: Apache-2.0
#include "kube/shaped_json.h"

#include <gtest/gtest.h>

namespace evictd::kube {
namespace {

using nlohmann::json;

/// {a: {b, "*"}, list: [{x}]}.
Shape small_shape() {
  Shape shape;
  shape.members["a"].members["b"];
  shape.members["list"].members["x"];
  shape.members["any"].members[Shape::kAny];
  return shape;
}

TEST(ShapedJson, KeepsWhatHasAPlace) {
  const auto read = read_shaped(
      R"({"z":[1,{"b":2}],"a":{"b":1,"c":{"b":[2]}},"list":[{"x":1,"y":2},{"y":{}},3],"any":{"p":"q"}})",
      small_shape());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, json::parse(R"({"a":{"b":1},"list":[{"x":1},{},3],"any":{"p":"q"}})"));
}

TEST(ShapedJson, KeepsAValueOfAWrongTypeForItsReader) {
  const auto read = read_shaped(R"({"a":5,"list":{"x":[true]},"any":null})", small_shape());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, json::parse(R"({"a":5,"list":{"x":[true]},"any":null})"));
}

TEST(ShapedJson, RefusesWhatIsNoJson) {
  for (const char* const text :
       {"", "{", R"({"a":1)", R"({"a":1}})", "nul", "\xff", R"(["\xc3"])"}) {
    const auto read = read_shaped(text, small_shape());
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Errc::kMalformed) << text;
  }
}

TEST(ShapedJson, RefusesAKeptMemberThatIsThereTwice) {
  EXPECT_EQ(read_shaped(R"({"a":{},"a":{}})", small_shape()).error().code, Errc::kInvalid);
  EXPECT_TRUE(read_shaped(R"({"z":1,"z":2})", small_shape()));
}

TEST(ShapedJson, BoundsDepthAlsoOfWhatIsLeftOut) {
  for (const std::string& prefix :
       {std::string(), std::string(R"({"z":)"), std::string(R"({"list":)")}) {
    const auto read = read_shaped(prefix + std::string(5'000'000, '['), small_shape());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::kExhausted);
  }
}

TEST(ShapedJson, BoundsTheValuesThatAreKept) {
  const std::string many = R"({"list":[1,2,3,4,5,6,7,8]})";
  EXPECT_EQ(read_shaped(many, small_shape(), {.values = 8}).error().code, Errc::kExhausted);
  EXPECT_TRUE(read_shaped(many, small_shape(), {.values = 10}));
  EXPECT_TRUE(read_shaped(R"({"z":[1,2,3,4,5,6,7,8]})", small_shape(), {.values = 1}));
}

}  // namespace
}  // namespace evictd::kube
