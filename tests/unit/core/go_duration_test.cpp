// SPDX-License-Identifier: Apache-2.0
#include "core/go_duration.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace evictd::core {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ns;

Duration parsed(std::string_view text) {
  const Result<Duration> duration = parse_go_duration(text);
  EXPECT_TRUE(duration.has_value()) << duration.error().message();
  return duration.value_or(Duration::min());
}

std::string refused(std::string_view text) {
  const Result<Duration> duration = parse_go_duration(text);
  EXPECT_FALSE(duration.has_value()) << text;
  return duration ? std::string() : duration.error().message();
}

TEST(GoDuration, SumsNumbersWithUnits) {
  EXPECT_EQ(parsed("1m30s"), 90s);
  EXPECT_EQ(parsed("1h2m3s4ms5us6ns"), 1h + 2min + 3s + 4ms + 5us + 6ns);
  EXPECT_EQ(parsed("5us"), 5us);
  EXPECT_EQ(parsed("5µs"), 5us);
  EXPECT_EQ(parsed("5μs"), 5us);
}

TEST(GoDuration, TakesSignsAndFractions) {
  EXPECT_EQ(parsed("-1.5h"), -90min);
  EXPECT_EQ(parsed("+5s"), 5s);
  EXPECT_EQ(parsed(".5s"), 500ms);
  EXPECT_EQ(parsed("1.s"), 1s);
  EXPECT_EQ(parsed("0.3333333333333333333h"), 20min);
}

TEST(GoDuration, ZeroNeedsNoUnit) {
  EXPECT_EQ(parsed("0"), 0s);
  EXPECT_EQ(parsed("-0"), 0s);
  EXPECT_EQ(parsed("0s"), 0s);
}

TEST(GoDuration, ReachesBothEndsOfSixtyFourBits) {
  EXPECT_EQ(parsed("9223372036854775807ns").count(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-9223372036854775808ns").count(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(refused("9223372036854775808ns"), "time: invalid duration \"9223372036854775808ns\"");
  EXPECT_EQ(refused("3000000h"), "time: invalid duration \"3000000h\"");
  EXPECT_EQ(refused("2562047h48m"), "time: invalid duration \"2562047h48m\"");
}

TEST(GoDuration, RefusesInTheWordsOfGo) {
  EXPECT_EQ(refused(""), "time: invalid duration \"\"");
  EXPECT_EQ(refused("-"), "time: invalid duration \"-\"");
  EXPECT_EQ(refused("s"), "time: invalid duration \"s\"");
  EXPECT_EQ(refused(".s"), "time: invalid duration \".s\"");
  EXPECT_EQ(refused(" 1s"), "time: invalid duration \" 1s\"");
  EXPECT_EQ(refused("10"), "time: missing unit in duration \"10\"");
  EXPECT_EQ(refused("1s5"), "time: missing unit in duration \"1s5\"");
  EXPECT_EQ(refused("1d"), "time: unknown unit \"d\" in duration \"1d\"");
  EXPECT_EQ(refused("1\"\\\x01é"),
            R"(time: unknown unit "\"\\\x01\xc3\xa9" in duration "1\"\\\x01\xc3\xa9")");
}

}  // namespace
}  // namespace evictd::core
