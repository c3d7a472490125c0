// SPDX-License-Identifier: Apache-2.0
#include "engine/disk_work.h"
#include "unit/engine/moments.h"

#include <gtest/gtest.h>

namespace evictd::engine {
namespace {

using std::chrono::seconds;
using Step = DiskWork::Step;

constexpr Duration kWait = seconds(5);

TEST(DiskWork, AMeasurementIsAskedForOnceAndCountsForAWhile) {
  DiskWork work;
  EXPECT_FALSE(work.usage_counts(kNow));
  EXPECT_EQ(work.need_usage(kNow, kWait), 1U);
  EXPECT_EQ(work.need_usage(kNow + seconds(1), kWait), std::nullopt);
  work.usage_measured(1, kNow + seconds(2));
  EXPECT_TRUE(work.usage_counts(kNow + seconds(3)));
  EXPECT_FALSE(work.usage_counts(kNow + seconds(2) + kUsageCounts));
}

TEST(DiskWork, TheNextVictimNeedsAnotherMeasurement) {
  DiskWork work;
  work.need_usage(kNow, kWait);
  work.usage_measured(1, kNow);
  work.victim_chosen();
  EXPECT_FALSE(work.usage_counts(kNow));
  EXPECT_EQ(work.need_usage(kNow, kWait), 2U);
}

TEST(DiskWork, AMeasurementThatNobodyAskedForCountsForNothing) {
  DiskWork work;
  work.usage_measured(7, kNow);
  EXPECT_FALSE(work.usage_counts(kNow));
}

TEST(DiskWork, WithoutAnAnswerThePassGoesOnWithWhatIsKnown) {
  DiskWork work;
  work.need_usage(kNow, kWait);
  EXPECT_EQ(work.deadline(kNow), kNow + kWait);
  EXPECT_FALSE(work.gave_up_usage(kNow + seconds(4)));
  EXPECT_TRUE(work.gave_up_usage(kNow + kWait));
  EXPECT_FALSE(work.gave_up_usage(kNow + kWait)) << "told twice";
  EXPECT_TRUE(work.usage_counts(kNow + kWait));
}

constexpr Duration kMilli = std::chrono::milliseconds(1);

TEST(DiskWork, MeasurementLastsUntilTheDiskIsFullLessAMargin) {
  DiskWork work;
  work.need_usage(kNow, kWait);
  work.usage_partly_measured(1);
  work.bound_by_full_at(kNow, kNow + 400 * kMilli);
  EXPECT_EQ(work.deadline(kNow), kNow + 300 * kMilli);
  EXPECT_EQ(work.progress(kNow + 299 * kMilli), eviction::DiskProgress::kSome);
  EXPECT_FALSE(work.ran_out_of_time(kNow + 299 * kMilli));
  EXPECT_TRUE(work.ran_out_of_time(kNow + 300 * kMilli));
  EXPECT_FALSE(work.ran_out_of_time(kNow + 300 * kMilli)) << "told twice";
  EXPECT_EQ(work.progress(kNow + 300 * kMilli), eviction::DiskProgress::kTimeIsUp);
  EXPECT_TRUE(work.measurement(kNow + 300 * kMilli).best_known);
  work.bound_by_full_at(kNow + 310 * kMilli, kNow + 330 * kMilli);
  EXPECT_EQ(work.progress(kNow + 310 * kMilli), eviction::DiskProgress::kTimeIsUp)
      << "less than the least margin is left";
}

TEST(DiskWork, FilesystemThatStopsFillingRestoresTheFullTime) {
  DiskWork work;
  work.need_usage(kNow, kWait);
  work.usage_partly_measured(1);
  work.bound_by_full_at(kNow, kNow + 100 * kMilli);
  work.bound_by_full_at(kNow + 90 * kMilli, std::nullopt);
  EXPECT_EQ(work.progress(kNow + seconds(1)), eviction::DiskProgress::kSome);
  EXPECT_EQ(work.deadline(kNow + seconds(1)), kNow + kWait);
}

TEST(DiskWork, DeadlineWithoutMeasurementsTriggersNoChoice) {
  DiskWork work;
  work.need_usage(kNow, kWait);
  work.bound_by_full_at(kNow, kNow + kMilli);
  EXPECT_FALSE(work.ran_out_of_time(kNow + seconds(1)));
  EXPECT_EQ(work.progress(kNow + seconds(1)), eviction::DiskProgress::kNothing);
}

TEST(DiskWork, MeasurementUsedBeforeItsEndCountsForNoOtherVictim) {
  DiskWork work;
  work.need_usage(kNow, kWait);
  work.usage_partly_measured(1);
  work.victim_chosen();
  work.usage_measured(1, kNow);
  EXPECT_FALSE(work.usage_counts(kNow));
  EXPECT_EQ(work.measurement(kNow).round, 0U);
}

TEST(DiskWork, WaitingPassResumesOnceForAllNewMeasurements) {
  DiskWork work;
  work.begin_reclaim(kNow, false, seconds(60));
  work.need_usage(kNow, kWait);
  work.usage_partly_measured(1);
  EXPECT_EQ(work.next_step(kNow, kNow - seconds(1)), Step::kReadDisks);
  EXPECT_EQ(work.next_step(kNow, kNow), Step::kResume);
  work.end_reclaim();
  work.begin_reclaim(kNow, false, seconds(60));
  EXPECT_EQ(work.next_step(kNow, kNow), Step::kWait);
}

TEST(DiskWork, APassResumesAfterCollectorsMeasurementAndANewReading) {
  DiskWork work;
  EXPECT_EQ(work.begin_reclaim(kNow, true, seconds(60)), 1U);
  work.need_usage(kNow, kWait);
  EXPECT_EQ(work.next_step(kNow, kNow), Step::kWait);
  work.collectors_done(1);
  EXPECT_EQ(work.next_step(kNow, kNow), Step::kWait);
  work.usage_measured(1, kNow + seconds(1));
  EXPECT_EQ(work.next_step(kNow + seconds(1), kNow), Step::kReadDisks);
  EXPECT_EQ(work.next_step(kNow + seconds(1), kNow), Step::kWait) << "the reading is older";
  EXPECT_EQ(work.next_step(kNow + seconds(1), kNow + seconds(1)), Step::kResume);
}

TEST(DiskWork, SilentFilesystemDelaysAResumeByASecondAtMost) {
  DiskWork work;
  work.begin_reclaim(kNow, false, seconds(60));
  work.need_usage(kNow, kWait);
  work.usage_measured(1, kNow);
  EXPECT_EQ(work.next_step(kNow, std::nullopt), Step::kReadDisks);
  EXPECT_EQ(work.deadline(kNow), kNow + seconds(1));
  EXPECT_EQ(work.next_step(kNow + seconds(1), std::nullopt), Step::kResume);
}

TEST(DiskWork, AHousekeepingThatNeverAnswersEndsWithTheBudget) {
  DiskWork work;
  work.begin_reclaim(kNow, true, seconds(60));
  EXPECT_EQ(work.next_step(kNow + seconds(59), kNow), Step::kWait);
  EXPECT_EQ(work.next_step(kNow + seconds(60), kNow), Step::kResume);
}

TEST(DiskWork, CollectorsRunAtOnceForANewVictimAndElseNotSooner) {
  DiskWork work;
  EXPECT_TRUE(work.begin_reclaim(kNow, true, seconds(60)));
  EXPECT_FALSE(work.begin_reclaim(kNow + seconds(1), true, seconds(60)));
  work.victim_chosen();
  EXPECT_TRUE(work.begin_reclaim(kNow + seconds(2), true, seconds(60)));
  EXPECT_TRUE(work.begin_reclaim(kNow + seconds(2) + kCollectorPeriod, true, seconds(60)));
}

TEST(DiskWork, CollectorsRunAtOnceForAPressureThatIsBack) {
  DiskWork work;
  EXPECT_TRUE(work.begin_reclaim(kNow, true, seconds(60)));
  work.end_reclaim();
  work.pressure_over();
  EXPECT_TRUE(work.begin_reclaim(kNow + seconds(1), true, seconds(60)));
}

}  // namespace
}  // namespace evictd::engine
