// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/pass_rules.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "eviction/parse_thresholds.h"

namespace evictd::daemon {
namespace {

PassRules::Rules rules(const std::map<std::string, std::string>& hard,
                       eviction::Compat compat = eviction::Compat::k1_32) {
  eviction::ThresholdTexts texts;
  texts.hard = hard;
  return {.thresholds =
              eviction::ThresholdTable::create(eviction::parse_thresholds(texts, compat).value())
                  .value(),
          .compat = compat};
}

const std::map<std::string, std::string> kThree = {
    {"memory.available", "1Gi"}, {"nodefs.available", "2Gi"}, {"pid.available", "100"}};
const std::map<std::string, std::string> kOne = {{"memory.available", "5Gi"}};

TEST(PassRules, OldConfigurationJudgesItsPassesDuringAReload) {
  PassRules all;
  all.use(0, rules(kThree, eviction::Compat::k1_26));
  all.use(1, rules(kOne));
  EXPECT_EQ(all.of(0).thresholds.size(), 3U);
  EXPECT_EQ(all.of(0).compat, eviction::Compat::k1_26);
  EXPECT_EQ(all.of(1).thresholds.size(), 1U);
}

TEST(PassRules, TheOldAreForgottenAndTheNewAreKept) {
  PassRules all;
  all.use(0, rules(kThree));
  all.use(1, rules(kOne));
  all.forget_before(1);
  EXPECT_EQ(all.of(1).thresholds.size(), 1U);
  EXPECT_EQ(all.of(0).thresholds.size(), 1U) << "of one that is unknown the newest is meant";
}

}  // namespace
}  // namespace evictd::daemon
