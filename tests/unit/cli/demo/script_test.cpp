// SPDX-License-Identifier: Apache-2.0
#include "demo/script.h"

#include <gtest/gtest.h>

#include <set>

namespace evictd::demo {
namespace {

TEST(DemoScript, EveryScenarioHasPodsOfAllClassesAndNamesItsVictim) {
  for (const Scenario scenario :
       {Scenario::kMemory, Scenario::kSoft, Scenario::kTmpfs, Scenario::kPids, Scenario::kDisk,
        Scenario::kInodes, Scenario::kEmptyDir}) {
    const Script script = script_of(scenario);
    std::set<stage::QosClass> classes{script.hog.qos};
    for (const Bystander& bystander : script.bystanders) {
      classes.insert(bystander.spec.qos);
    }
    EXPECT_EQ(classes.size(), 3U) << name_of(scenario);
    EXPECT_EQ(script.expected_victim, script.hog.name);
  }
}

TEST(DemoSizes, LeaveAtLeast64MiBBetweenThresholdAndLimit) {
  for (const Bytes available : {320_MiB, 800_MiB, 4_GiB, 24_GiB, 512_GiB}) {
    const Result<Sizes> sizes = sizes_for(available);
    ASSERT_TRUE(sizes) << sizes.error().message();
    EXPECT_GE(sizes->headroom, 64_MiB);
    EXPECT_LT(sizes->headroom + sizes->run_up, Bytes{available.value / 2});
    EXPECT_LE(sizes->headroom + sizes->run_up, 768_MiB);
  }
}

TEST(DemoSizes, AMachineWithoutMemoryToSpareIsRefused) {
  EXPECT_EQ(sizes_for(200_MiB).error().code, Errc::kExhausted);
}

}  // namespace
}  // namespace evictd::demo
