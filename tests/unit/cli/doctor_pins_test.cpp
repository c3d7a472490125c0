// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_pins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evictd::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal_of(const std::vector<std::string>& texts) {
  const Result<Pins> pins = parse_pins(texts);
  return pins ? std::string() : pins.error().message();
}

TEST(DoctorPins, NameARowOfAPurposeOrNone) {
  const Result<Pins> pins = parse_pins({"memory-charge=tp_btf", "oom=none", "notify=none"});
  ASSERT_TRUE(pins) << pins.error().message();
  EXPECT_EQ(pins->purposes,
            (std::map<probe::Purpose, std::string>{{probe::Purpose::kMemoryCharge, "tp_btf"},
                                                   {probe::Purpose::kOom, "none"}}));
  EXPECT_EQ(pins->notify, "none");
}

TEST(DoctorPins, OfAnUnknownPurposeNameTheNearestAndTheAllowedOnes) {
  EXPECT_THAT(refusal_of({"memory_charge=none"}),
              StartsWith("memory_charge=none: unknown purpose, the nearest is memory-charge; "
                         "allowed: memory-charge, "));
  EXPECT_THAT(refusal_of({"notifi=none"}), HasSubstr("the nearest is notify; allowed: "));
  EXPECT_THAT(refusal_of({"=none"}), StartsWith("=none: a purpose is missing; allowed: "));
}

TEST(DoctorPins, OfAnUnknownRowNameTheNearestAndTheAllowedOnes) {
  EXPECT_THAT(refusal_of({"memory-charge=kprob"}),
              StartsWith("memory-charge=kprob: unknown row, the nearest is kprobe; allowed: "));
  EXPECT_THAT(refusal_of({"notify=fexi"}), HasSubstr("the nearest is fexit; allowed: fexit, "));
  EXPECT_THAT(refusal_of({"oom="}), StartsWith("oom=: a row is missing; allowed: "));
}

TEST(DoctorPins, WithoutARowSaySo) {
  EXPECT_THAT(refusal_of({"oom"}), StartsWith("oom: \"=ROW\" is missing; allowed: PURPOSE=ROW "
                                              "with a purpose of memory-charge, "));
}

TEST(DoctorPins, OfOnePurposeTwiceAreRefused) {
  EXPECT_EQ(refusal_of({"memory-charge=tp_btf", "oom=none", "memory-charge=none"}),
            "memory-charge=none: memory-charge is pinned twice; allowed: one row a purpose");
  EXPECT_EQ(refusal_of({"notify=none", "notify=none"}),
            "notify=none: notify is pinned twice; allowed: one row a purpose");
}

}  // namespace
}  // namespace evictd::cli
