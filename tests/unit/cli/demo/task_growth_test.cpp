// SPDX-License-Identifier: Apache-2.0
#include "demo/task_growth.h"

#include <gtest/gtest.h>

namespace evictd::demo {
namespace {

constexpr std::int64_t kTaskThreshold = 260;

/// 256 forks, 64 KiB each, 5000 a second.
Evidence forking() {
  Evidence evidence;
  evidence.rate = 5000;
  return evidence;
}

Testimony charged_16_mib() {
  Testimony testimony;
  testimony.at_start = 100_MiB;
  testimony.highest = 116_MiB;
  return testimony;
}

TEST(DemoTaskGrowth, HasARateWhenTheHogDiedWithinTheForkThatCrossed) {
  Evidence evidence = forking();
  add_task_growth(evidence, charged_16_mib(), {kTaskThreshold, kTaskThreshold, 256});
  EXPECT_EQ(evidence.tasks_past, 0);
  EXPECT_DOUBLE_EQ(evidence.bytes_per_second, 5000.0 * 64 * 1024);
  EXPECT_EQ(evidence.overshoot, Bytes{0});
}

TEST(DemoTaskGrowth, CountsTasksThatOnlyTheWitnessSaw) {
  Evidence evidence = forking();
  Testimony testimony = charged_16_mib();
  testimony.most_tasks = kTaskThreshold + 2;
  add_task_growth(evidence, testimony, {kTaskThreshold, kTaskThreshold, 256});
  EXPECT_EQ(evidence.tasks_past, 2);
  EXPECT_EQ(evidence.overshoot, 128_KiB);
}

TEST(DemoTaskGrowth, TakesTheLargerOfWhatLoadAndWitnessSaw) {
  Evidence evidence = forking();
  Testimony testimony = charged_16_mib();
  testimony.most_tasks = kTaskThreshold + 2;
  add_task_growth(evidence, testimony, {kTaskThreshold, kTaskThreshold + 5, 256});
  EXPECT_EQ(evidence.tasks_past, 5);
}

TEST(DemoTaskGrowth, IsNothingWithoutForks) {
  Evidence evidence = forking();
  add_task_growth(evidence, charged_16_mib(), {kTaskThreshold, 4, 0});
  EXPECT_EQ(evidence.tasks_past, 0);
  EXPECT_EQ(evidence.bytes_per_second, 0);
}

}  // namespace
}  // namespace evictd::demo
