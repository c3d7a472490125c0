// SPDX-License-Identifier: Apache-2.0
#include "eviction/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "builders.h"
#include "support/kubernetes/kubernetes_value.h"

namespace evictd::eviction {
namespace {

TEST(Quantity, IsWrittenCanonically) {
  EXPECT_EQ(amount("2048Ki").to_string(), "2Mi");
  EXPECT_EQ(amount("1000").to_string(), "1k");
  EXPECT_EQ(amount("0.5").to_string(), "500m");
  EXPECT_EQ(amount("1.5Gi").to_string(), "1536Mi");
  EXPECT_EQ(Quantity(2000, QuantityFormat::kBinarySI).to_string(), "2000");
  EXPECT_EQ(Quantity(1000, QuantityFormat::kBinarySI).to_string(), "1k");
}

TEST(Quantity, KeepsATextThatLooksCanonical) {
  for (const std::string_view text : {"+1", "007", "01Gi", "1E3", "0", "1.500"}) {
    EXPECT_EQ(amount(text).to_string(), text);
  }
}

TEST(Quantity, ComparesByAmount) {
  EXPECT_EQ(amount("1Gi"), amount("1024Mi"));
  EXPECT_LT(amount("999m"), amount("1"));
  EXPECT_LT(amount("-1"), amount("1n"));
  EXPECT_GT(amount("1e20"), amount("99999999999999999999"));
}

TEST(Quantity, RoundsAwayFromZero) {
  EXPECT_EQ(amount("1m").value(), 1);
  EXPECT_EQ(amount("-1m").value(), -1);
  EXPECT_EQ(amount("1m").ceiling(), 1);
  EXPECT_EQ(amount("-1m").ceiling(), 0);
  EXPECT_EQ(amount("-1500m").ceiling(), -1);
  EXPECT_EQ(amount("0.0000000001").to_string(), "1n");
}

TEST(Quantity, IsCutToWhatFits) {
  EXPECT_EQ(amount("9Ei").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(amount("1e30").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(amount("-1e30").value(), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(amount("1e30").nanos());
}

TEST(Quantity, HasTheValueOfKubernetesWhereItFitsAndWhereItDoesNot) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::pair<const char*, std::int64_t>> values{
      {"1Gi", 1 << 30},
      {"-1500m", -2},
      {"9Ei", std::numeric_limits<std::int64_t>::max()},
      {"0e2147483647", 0},
      {"0.e-2147483648", 0},
      // One multiplication wraps, a series of them ends in zero.
      {"999999999999999999k", 3'875'820'019'684'211'736},
      {"9.3E", 0},
      {"1e30", 0},
      {"-10E", 0},
      {"1e2000000000", 0},
      // In arbitrary precision the low bits are left; below zero they are so before the division.
      {"9223372036854775808", kLeast},
      {"18446744073709551615", -1},
      {"12345678901234567890.5", -6'101'065'172'474'983'725},
      {"-9223372036854775807", 1},
      {"-7815Ti", -5'514'094'792},
      {"-76903.92Ti", 3'072'580'846},
      {"-1e-10", 1},
  };
  for (const auto& [text, value] : values) {
    EXPECT_EQ(test::kubernetes_value(amount(text)), value) << text;
  }
}

TEST(Quantity, HasTheValueOfKubernetesInSumsToo) {
  EXPECT_EQ(test::kubernetes_value(amount("-6628P") + amount("61460015988e-4")),
            -84'854'310'012'101);
  EXPECT_EQ(test::kubernetes_value(amount("1Pi") - amount("42583P")), -7'217'505'656);
  EXPECT_EQ(test::kubernetes_value(amount("0Ei") - amount("5242.Gi")), -5'628'554'641'408);
  Quantity many = amount("999999999999999999e12");
  for (int i = 0; i < 10; ++i) {
    many += amount("999999999999999999e12");
  }
  EXPECT_EQ(test::kubernetes_value(many), 506'143'752'229'244'928);
}

TEST(Quantity, RefusesWhatKubernetesRefuses) {
  EXPECT_EQ(Quantity::parse("1KB").error().context,
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(Quantity::parse("1Kii").error().context, "unable to parse quantity's suffix");
  EXPECT_FALSE(Quantity::parse(""));
  EXPECT_FALSE(Quantity::parse(std::string(2000, '9')));
}

TEST(Quantity, MissesDigitsOnlyWhereKubernetesNeedsArbitraryPrecision) {
  for (const char* text : {"Pi", "-Ei", ".Pi", "e-10", ".e-10", "+E-19"}) {
    const Result<Quantity> read = Quantity::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().context, "unable to parse numeric part of quantity") << text;
  }
  for (const char* text : {"Ti", "m", ".", "e3", "0Pi", "0.e-10"}) {
    EXPECT_EQ(amount(text).sign(), 0) << text;
  }
}

TEST(Quantity, WritesTheSmallestNumberByHowItCameAbout) {
  EXPECT_EQ((amount("-8Ei") - amount("1")).to_string(), "-8Ei");
  EXPECT_EQ((amount("-4Ei") + amount("-4Ei")).to_string(), "-8Ei");
  EXPECT_EQ(
      Quantity(std::numeric_limits<std::int64_t>::min(), QuantityFormat::kBinarySI).to_string(),
      "-9223372036854775808");
}

TEST(Quantity, IsZeroAtOnceWhateverTheExponent) {
  for (const char* text : {"0e2147483647", "0.0e99999999", "-0e2000000000"}) {
    const Quantity zero = amount(text);
    EXPECT_EQ(zero.value(), 0) << text;
    EXPECT_EQ(zero.milli_value(), 0) << text;
    EXPECT_EQ(zero.nanos(), Wide{0}) << text;
    EXPECT_EQ(zero.to_string(), "0") << text;
    EXPECT_EQ(zero, amount("0")) << text;
    EXPECT_EQ((zero + amount("1Gi")).value(), 1 << 30) << text;
  }
}

TEST(Quantity, TakesHugeExponentsWithoutWritingThemOut) {
  const Quantity huge = amount("1e2000000000");
  const Quantity tiny = amount("1e-2000000000");
  EXPECT_EQ(tiny.to_string(), "1e-9");
  EXPECT_GT(huge, amount("1e1999999999"));
  EXPECT_EQ(huge.value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((huge + amount("1Gi")), huge);
  EXPECT_EQ((amount("1Gi") + huge), huge);
  EXPECT_FALSE((amount("1Gi") + huge).to_string().empty());
  EXPECT_EQ((huge - huge).sign(), 0);
}

TEST(Quantity, AddsAndSubtractsExactlyUnderRandomInput) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> any(std::numeric_limits<std::int64_t>::min() / 2,
                                                  std::numeric_limits<std::int64_t>::max() / 2);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t a = any(random) >> (i % 60);
    const std::int64_t b = any(random) >> (i % 50);
    const Quantity sum =
        Quantity(a, QuantityFormat::kBinarySI) + Quantity::of_milli(b, QuantityFormat::kDecimalSI);
    const Wide milli = Wide{a} * 1000 + b;
    ASSERT_EQ(sum.nanos(), milli * 1'000'000);
    ASSERT_EQ((sum - Quantity::of_milli(b, QuantityFormat::kDecimalSI)).value(), a);
    const Quantity again = amount(sum.to_string());
    ASSERT_EQ(again, sum) << sum.to_string();
  }
}

}  // namespace
}  // namespace evictd::eviction
