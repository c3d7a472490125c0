// SPDX-License-Identifier: Apache-2.0
#include "tracer/steps.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "crossing/step_table.h"

namespace evictd::bench {
namespace {

using std::chrono::microseconds;

MonoTime at(int us) {
  return MonoTime{microseconds{1000 + us}};
}

HotCall call(CallKind kind, int enter, int exit) {
  return {.kind = kind, .enter = at(enter), .exit = at(exit)};
}

/// A thread that waits, wakes 20 us after the detection, and kills at 120 us.
HotTrace whole_trace() {
  return {.calls = {call(CallKind::kWait, -500, 20), call(CallKind::kOther, 22, 24),
                    call(CallKind::kRead, 30, 32), call(CallKind::kFlush, 33, 53),
                    call(CallKind::kRefresh, 54, 64), call(CallKind::kRead, 66, 70),
                    call(CallKind::kKill, 80, 84), call(CallKind::kKill, 86, 90),
                    call(CallKind::kKill, 100, 120)},
          .sigkill = at(111)};
}

Duration time_of(const StepTimes& times, Step step) {
  return times[static_cast<std::size_t>(step)];
}

TEST(Steps, DivideTheWholeTimeFromDetectionToTheReturn) {
  const std::optional<StepTimes> times = steps_of(whole_trace(), at(0));
  ASSERT_TRUE(times);
  EXPECT_EQ(time_of(*times, Step::kWake), microseconds{20});
  EXPECT_EQ(time_of(*times, Step::kDrain), microseconds{10});
  EXPECT_EQ(time_of(*times, Step::kRefresh), microseconds{14});
  EXPECT_EQ(time_of(*times, Step::kFlush), microseconds{20});
  EXPECT_EQ(time_of(*times, Step::kRank), microseconds{16});
  EXPECT_EQ(time_of(*times, Step::kVerify), microseconds{20});
  EXPECT_EQ(time_of(*times, Step::kSignal), microseconds{11});
  EXPECT_EQ(time_of(*times, Step::kReturn), microseconds{9});
}

TEST(Steps, OfAThreadThatWasAwakeBeginWithTheDetection) {
  HotTrace trace = whole_trace();
  trace.calls.front() = call(CallKind::kOther, -500, -400);
  const std::optional<StepTimes> times = steps_of(trace, at(0));
  ASSERT_TRUE(times);
  EXPECT_EQ(time_of(*times, Step::kWake), Duration{0});
  EXPECT_EQ(time_of(*times, Step::kDrain), microseconds{30});
}

TEST(Steps, CountARehearsalThatWasUnderWayAsDrain) {
  HotTrace trace = whole_trace();
  trace.calls.front() = call(CallKind::kRefresh, -5, 5);
  trace.calls[1] = call(CallKind::kKill, 10, 12);
  const std::optional<StepTimes> times = steps_of(trace, at(0));
  ASSERT_TRUE(times);
  EXPECT_EQ(time_of(*times, Step::kDrain), microseconds{30});
  EXPECT_EQ(time_of(*times, Step::kRefresh), microseconds{14});
}

TEST(Steps, AreUnknownWithoutARefreshOrAfterTheKill) {
  HotTrace trace = whole_trace();
  EXPECT_FALSE(steps_of(trace, at(120)));
  trace.calls[4].kind = CallKind::kRead;
  EXPECT_FALSE(steps_of(trace, at(0)));
  EXPECT_FALSE(steps_of(HotTrace{}, at(0)));
}

TEST(Steps, KnowACallByItsNumberAndFile) {
  EXPECT_EQ(kind_of(SYS_epoll_pwait, ""), CallKind::kWait);
  EXPECT_EQ(kind_of(-1, ""), CallKind::kWait);
  EXPECT_EQ(kind_of(SYS_bpf, "memory.stat"), CallKind::kRefresh);
  EXPECT_EQ(kind_of(SYS_pread64, "memory.numa_stat"), CallKind::kFlush);
  EXPECT_EQ(kind_of(SYS_pread64, "memory.usage_in_bytes"), CallKind::kRead);
  EXPECT_EQ(kind_of(SYS_pread64, "cgroup.procs"), CallKind::kKill);
  EXPECT_EQ(kind_of(SYS_read, "[eventfd]"), CallKind::kOther);
  EXPECT_EQ(kind_of(SYS_pidfd_send_signal, "[pidfd]"), CallKind::kKill);
  EXPECT_EQ(kind_of(SYS_write, "[eventfd]"), CallKind::kOther);
}

TEST(StepTable, HasARowForEachStepAndItsShareOfTheWhole) {
  StepTable table;
  table.add(steps_of(whole_trace(), at(0)).value());
  table.add_undivided();
  EXPECT_NEAR(table.share(Step::kFlush), 100.0 * 20 / 120, 0.01);

  Report report{"crossing", Report::Lines::kNone};
  table.report(report, {{"pages", "4k"}});
  EXPECT_EQ(report.value("crossing_step", {{"pages", "4k"}, {"step", "signal"}}, "p50"), 11);
  EXPECT_EQ(report.value("crossing_step", {{"pages", "4k"}, {"step", "whole"}}, "p99"), 120);
  const nlohmann::json whole = nlohmann::json::parse(report.text());
  ASSERT_EQ(whole["rows"].size(), kSteps + 1);
  EXPECT_EQ(whole["rows"][3]["counts"], nlohmann::json::parse(R"([["share in %", 16.7]])"));
  EXPECT_EQ(whole["rows"].back()["notes"].size(), 1U);
}

TEST(StepTable, IsATableForPeopleToo) {
  StepTable table;
  table.add(steps_of(whole_trace(), at(0)).value());
  const std::string text = table.text("evictd fifo");
  EXPECT_EQ(text.find("evictd fifo, us, 1 trials\n"), 0U) << text;
  EXPECT_NE(text.find("flush           20.00      20.00   16.7 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("whole          120.00     120.00  100.0 %\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace evictd::bench
