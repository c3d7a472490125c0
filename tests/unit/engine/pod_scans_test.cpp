// SPDX-License-Identifier: Apache-2.0
#include "engine/pod_scans.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::engine {
namespace {

using ScanStep = PodScans::Step;
using std::chrono::milliseconds;

/// A moment of the hot thread, which is also the name of the turn that begins then.
constexpr MonoTime turn_at(int ms) {
  return MonoTime(milliseconds(ms));
}

TEST(PodScans, AreAskedForOnceAndAwaited) {
  PodScans scans;
  EXPECT_FALSE(scans.waits(turn_at(1)));
  EXPECT_EQ(scans.next_step(turn_at(1), turn_at(2)), ScanStep::kAsk);
  EXPECT_TRUE(scans.waits(turn_at(2)));
  EXPECT_EQ(scans.deadline(), turn_at(2) + kScanPatience);
  EXPECT_EQ(scans.next_step(turn_at(3), turn_at(4)), ScanStep::kWait);
  scans.answered(scans.asked(), turn_at(5));
  EXPECT_FALSE(scans.waits(turn_at(5)));
  EXPECT_EQ(scans.next_step(turn_at(5), turn_at(6)), ScanStep::kGoOn);
  EXPECT_EQ(scans.next_step(turn_at(5), turn_at(7)), ScanStep::kGoOn)
      << "another pass of that turn";
}

TEST(PodScans, AnAnswerIsOfNoUseToALaterTurn) {
  PodScans scans;
  ASSERT_EQ(scans.next_step(turn_at(1), turn_at(1)), ScanStep::kAsk);
  scans.answered(scans.asked(), turn_at(5));
  EXPECT_EQ(scans.next_step(turn_at(6), turn_at(6)), ScanStep::kAsk);
}

TEST(PodScans, WhoeverWaitedInVainIsNotKeptWaitingAgainBeforeTheAnswer) {
  PodScans scans;
  ASSERT_EQ(scans.next_step(turn_at(1), turn_at(1)), ScanStep::kAsk);
  const MonoTime late = turn_at(1) + kScanPatience;
  EXPECT_FALSE(scans.waits(late));
  EXPECT_EQ(scans.next_step(late, late), ScanStep::kGiveUp);
  EXPECT_EQ(scans.next_step(late + milliseconds(1), late + milliseconds(1)), ScanStep::kGiveUp);
  scans.answered(scans.asked(), late + milliseconds(2));
  EXPECT_EQ(scans.next_step(late + milliseconds(3), late + milliseconds(3)), ScanStep::kAsk);
}

TEST(PodScans, WhatCouldNotBeAskedForIsNotAwaited) {
  PodScans scans;
  ASSERT_EQ(scans.next_step(turn_at(1), turn_at(1)), ScanStep::kAsk);
  scans.not_asked();
  EXPECT_FALSE(scans.waits(turn_at(1)));
  EXPECT_EQ(scans.next_step(turn_at(2), turn_at(2)), ScanStep::kAsk);
}

TEST(PodScans, ALossIsMadeUpForByALookThatWasAskedForAfterIt) {
  PodScans scans;
  EXPECT_FALSE(scans.lost());
  ASSERT_EQ(scans.next_step(turn_at(1), turn_at(1)), ScanStep::kAsk);
  scans.record_loss();
  scans.answered(scans.asked(), turn_at(2));
  EXPECT_TRUE(scans.lost()) << "it may have looked before";
  ASSERT_EQ(scans.next_step(turn_at(3), turn_at(3)), ScanStep::kAsk);
  scans.answered(scans.asked(), turn_at(4));
  EXPECT_FALSE(scans.lost());
}

}  // namespace
}  // namespace evictd::engine
