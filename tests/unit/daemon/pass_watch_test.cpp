// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/pass_watch.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

eviction::Decision met(eviction::Outcome outcome) {
  eviction::Decision decision;
  decision.outcome = outcome;
  decision.met.add(0);
  decision.conditions.add(eviction::Condition::kMemoryPressure);
  return decision;
}

TEST(PassWatch, APassWithNothingMetIsNoChangeAtFirst) {
  PassWatch watch;
  EXPECT_FALSE(watch.take({}).outcome);
}

TEST(PassWatch, TellsAnOutcomeOnceAndNotOncePerPass) {
  PassWatch watch;
  const PassWatch::Change first = watch.take(met(eviction::Outcome::kInGrace));
  EXPECT_TRUE(first.outcome);
  EXPECT_EQ(first.met.size(), 1U);
  EXPECT_EQ(first.set.size(), 1U);
  const PassWatch::Change same = watch.take(met(eviction::Outcome::kInGrace));
  EXPECT_FALSE(same.outcome);
  EXPECT_TRUE(same.met.empty());
  EXPECT_TRUE(same.set.empty());
}

TEST(PassWatch, AnotherReasonOfAHoldIsAChange) {
  PassWatch watch;
  eviction::Decision held = met(eviction::Outcome::kHeld);
  held.reason = eviction::Reason::kVictimInGrace;
  static_cast<void>(watch.take(held));
  held.reason = eviction::Reason::kReleasePending;
  EXPECT_TRUE(watch.take(held).outcome);
}

TEST(PassWatch, RecoveryEndsThresholdAndConditionEachByItself) {
  PassWatch watch;
  static_cast<void>(watch.take(met(eviction::Outcome::kInGrace)));
  eviction::Decision recovered;
  recovered.conditions.add(eviction::Condition::kMemoryPressure);
  const PassWatch::Change change = watch.take(recovered);
  EXPECT_TRUE(change.outcome);
  EXPECT_EQ(change.no_longer_met.size(), 1U);
  EXPECT_TRUE(change.cleared.empty()) << "the transition period runs";
  EXPECT_EQ(watch.take({}).cleared.size(), 1U);
}

TEST(PassWatch, APassThatWaitedForCollectorsTellsNothingOfThresholds) {
  PassWatch watch;
  static_cast<void>(watch.take(met(eviction::Outcome::kReclaiming)));
  EXPECT_EQ(watch.take({}).no_longer_met.size(), 1U);
  const PassWatch::Change end = watch.take_resumed(met(eviction::Outcome::kReclaimed));
  EXPECT_TRUE(end.outcome);
  EXPECT_TRUE(end.met.empty());
  EXPECT_TRUE(watch.take({}).no_longer_met.empty()) << "that was told";
}

TEST(PassWatch, KnowsIfAPassAwaitingCollectorsWasReportedAtStart) {
  const auto seen_at = [](std::int64_t second) {
    eviction::Decision decision = met(eviction::Outcome::kReclaiming);
    decision.observations[eviction::Signal::kNodeFsAvailable] = eviction::Observation{
        .available = 1, .capacity = 2, .time = MonoTime(std::chrono::seconds(second))};
    return decision;
  };
  PassWatch watch;
  EXPECT_FALSE(watch.was_reported(seen_at(1)));
  watch.mark_reported(seen_at(1));
  EXPECT_TRUE(watch.was_reported(seen_at(1)));
  EXPECT_FALSE(watch.was_reported(seen_at(2))) << "that of a later one left no copy";
}

TEST(PassWatch, TellsOnceWhoExceedsALimitOnLocalStorageAndIsSpared) {
  PassWatch watch;
  EXPECT_FALSE(watch.take_spared({}));
  EXPECT_TRUE(watch.take_spared({"a", "b"}));
  EXPECT_FALSE(watch.take_spared({"b", "a"})) << "in whatever order";
  EXPECT_TRUE(watch.take_spared({"b"}));
  EXPECT_FALSE(watch.take_spared({}));
  EXPECT_TRUE(watch.take_spared({"b"})) << "again";
}

eviction::ThresholdTable table_for(const std::vector<eviction::Signal>& signals) {
  std::vector<eviction::Threshold> thresholds;
  for (const eviction::Signal signal : signals) {
    thresholds.emplace_back().signal = signal;
  }
  return eviction::ThresholdTable::create(thresholds).value();
}

TEST(PassWatch, ASignalThatIsNotObservedIsToldOnceAndOnceWhenItIsBack) {
  using eviction::Signal;
  PassWatch watch;
  // A hard and a soft one of the same signal.
  const eviction::ThresholdTable table =
      table_for({Signal::kMemoryAvailable, Signal::kPidAvailable, Signal::kPidAvailable});
  eviction::Observations observations;
  observations[Signal::kMemoryAvailable].emplace();

  const PassWatch::Seen first = watch.take_signal_changes(table, observations);
  EXPECT_EQ(first.lost, std::vector{Signal::kPidAvailable});
  EXPECT_TRUE(first.back.empty());
  EXPECT_TRUE(watch.take_signal_changes(table, observations).lost.empty());

  observations[Signal::kPidAvailable].emplace();
  const PassWatch::Seen again = watch.take_signal_changes(table, observations);
  EXPECT_TRUE(again.lost.empty());
  EXPECT_EQ(again.back, std::vector{Signal::kPidAvailable});
  EXPECT_TRUE(watch.take_signal_changes(table, observations).back.empty());
}

TEST(PassWatch, ASignalThatNoThresholdIsForAnyMoreIsNotToldToBeBack) {
  using eviction::Signal;
  PassWatch watch;
  eviction::Observations observations;
  static_cast<void>(watch.take_signal_changes(table_for({Signal::kPidAvailable}), observations));
  observations[Signal::kPidAvailable].emplace();

  const PassWatch::Seen seen = watch.take_signal_changes(table_for({}), observations);

  EXPECT_TRUE(seen.back.empty());
  observations[Signal::kPidAvailable].reset();
  const PassWatch::Seen anew =
      watch.take_signal_changes(table_for({Signal::kPidAvailable}), observations);
  EXPECT_EQ(anew.lost.size(), 1U) << "asked for again";
}

TEST(PassWatch, SignalsOfDisksAreToldWithTheirFilesystems) {
  PassWatch watch;
  const eviction::ThresholdTable table = table_for({eviction::Signal::kNodeFsAvailable});
  EXPECT_TRUE(watch.take_signal_changes(table, {}).lost.empty());
}

}  // namespace
}  // namespace evictd::daemon
