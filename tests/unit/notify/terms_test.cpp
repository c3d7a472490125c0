// SPDX-License-Identifier: Apache-2.0
#include "notify/terms.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace evictd::notify {
namespace {

TEST(NotifyTerms, AreAllowedAsVersionOneHasThem) {
  EXPECT_EQ(check_terms({.threshold = 4096}), 0);
}

TEST(NotifyTerms, RefuseNumbersThatNameNothing) {
  const auto meant = [](const Words& words) { return terms_of(words, 1, 0).has_value(); };
  EXPECT_TRUE(meant({.signal = EVICTD_NOTIFY_PRESSURE, .mode = EVICTD_NOTIFY_LOCAL}));
  EXPECT_FALSE(meant({.signal = EVICTD_NOTIFY_SIGNALS}));
  EXPECT_FALSE(meant({.unit = EVICTD_NOTIFY_UNITS}));
  EXPECT_FALSE(meant({.direction = EVICTD_NOTIFY_DIRECTIONS}));
  EXPECT_FALSE(meant({.signal = EVICTD_NOTIFY_PRESSURE, .mode = EVICTD_NOTIFY_MODES}));
  // As signed numbers they would be below the smallest.
  for (const std::uint32_t huge : {0x80000000U, 0x80000001U, 0x80000005U, 0xffffffffU}) {
    EXPECT_FALSE(meant({.signal = huge})) << huge;
    EXPECT_FALSE(meant({.unit = huge})) << huge;
    EXPECT_FALSE(meant({.direction = huge})) << huge;
    EXPECT_FALSE(meant({.signal = EVICTD_NOTIFY_PRESSURE, .mode = huge})) << huge;
  }
}

TEST(NotifyTerms, RefuseHysteresisAboveItsThreshold) {
  EXPECT_EQ(check_terms({.threshold = 100, .hysteresis = 100}), 0);
  EXPECT_EQ(check_terms({.threshold = 100, .hysteresis = 101}), EINVAL);
}

TEST(NotifyTerms, RefuseAShareAboveTheLimitAndOfARate) {
  EXPECT_EQ(check_terms({.unit = EVICTD_NOTIFY_OF_LIMIT, .threshold = EVICTD_NOTIFY_WHOLE}), 0);
  EXPECT_EQ(check_terms({.unit = EVICTD_NOTIFY_OF_LIMIT, .threshold = EVICTD_NOTIFY_WHOLE + 1}),
            EINVAL);
  EXPECT_EQ(check_terms({.signal = EVICTD_NOTIFY_RATE, .unit = EVICTD_NOTIFY_OF_LIMIT}), EINVAL);
}

TEST(NotifyTerms, AreComparedInWholePagesWhereVersionOneDoes) {
  for (const auto signal : {EVICTD_NOTIFY_USAGE, EVICTD_NOTIFY_MEMSW}) {
    EXPECT_EQ(in_whole_pages({.signal = signal, .threshold = 8191}, 4096).threshold, 4096U);
    EXPECT_EQ(in_whole_pages({.signal = signal, .threshold = 8192}, 4096).threshold, 8192U);
    EXPECT_EQ(in_whole_pages({.signal = signal, .threshold = 4095}, 4096).threshold, 0U);
    EXPECT_EQ(in_whole_pages({.signal = signal, .threshold = 70000}, 65536).threshold, 65536U);
  }
}

TEST(NotifyTerms, KeepWhatVersionOneHasNot) {
  for (const auto signal : {EVICTD_NOTIFY_WORKING_SET, EVICTD_NOTIFY_RATE, EVICTD_NOTIFY_PIDS}) {
    EXPECT_EQ(in_whole_pages({.signal = signal, .threshold = 4097}, 4096).threshold, 4097U);
  }
  EXPECT_EQ(in_whole_pages({.unit = EVICTD_NOTIFY_OF_LIMIT, .threshold = 500'001}, 4096).threshold,
            500'001U);
}

TEST(NotifyTerms, HaveNoHysteresisBelowNothingOnceRounded) {
  const Terms rounded = in_whole_pages({.threshold = 8191, .hysteresis = 8000}, 4096);
  EXPECT_EQ(rounded.hysteresis, rounded.threshold);
  EXPECT_EQ(in_whole_pages({.threshold = 8191, .hysteresis = 100}, 4096).hysteresis, 100U);
}

TEST(NotifyTerms, RefuseWhatAnEventHasNot) {
  EXPECT_EQ(check_terms({.signal = EVICTD_NOTIFY_PRESSURE,
                         .mode = EVICTD_NOTIFY_LOCAL,
                         .threshold = EVICTD_NOTIFY_CRITICAL}),
            0);
  EXPECT_EQ(check_terms({.signal = EVICTD_NOTIFY_PRESSURE, .threshold = 3}), EINVAL);
  EXPECT_EQ(check_terms({.signal = EVICTD_NOTIFY_OOM, .threshold = 1}), EINVAL);
  EXPECT_EQ(check_terms({.signal = EVICTD_NOTIFY_OOM, .direction = EVICTD_NOTIFY_UP}), EINVAL);
  EXPECT_EQ(check_terms({.signal = EVICTD_NOTIFY_OOM, .mode = EVICTD_NOTIFY_LOCAL}), EINVAL);
}

}  // namespace
}  // namespace evictd::notify
