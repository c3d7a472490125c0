// SPDX-License-Identifier: Apache-2.0
#include "probe/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "evictd/abi/event.h"

namespace evictd::probe {
namespace {

/// Keeps what was handed over, as values.
class Kept final : public EventSink {
 public:
  void on_threshold(const ThresholdCrossed& event) override { thresholds.push_back(event); }
  void on_stall(const StallRising& event) override { stalls.push_back(event); }
  void on_cgroup(const CgroupChanged& event) override {
    changes.push_back(event);
    paths.emplace_back(event.path);
  }
  void on_approach(const Approach& event) override { approaches.push_back(event); }
  void on_oom_kill(const OomKill& event) override {
    oom_kills.push_back(event);
    comms.emplace_back(event.comm);
  }
  [[nodiscard]] bool empty() const {
    return thresholds.empty() && stalls.empty() && changes.empty() && oom_kills.empty() &&
           approaches.empty();
  }

  std::vector<ThresholdCrossed> thresholds;
  std::vector<StallRising> stalls;
  std::vector<CgroupChanged> changes;
  std::vector<std::string> paths;
  std::vector<OomKill> oom_kills;
  std::vector<Approach> approaches;
  std::vector<std::string> comms;
};

template <typename Record>
Record record_of(std::uint32_t kind) {
  Record record{};
  record.header = {.kind = kind, .size = sizeof(Record), .ktime_ns = 42};
  return record;
}

evictd_cgroup_event cgroup_event(std::uint32_t change, const std::string& path) {
  auto record = record_of<evictd_cgroup_event>(EVICTD_EVENT_CGROUP);
  record.cgroup = {.id = 7, .hierarchy = 4, .pad = 0};
  record.parent_id = 6;
  record.root_id = 5;
  record.change = change;
  record.depth = 2;
  record.path_size = static_cast<std::uint32_t>(path.size() + 1);
  std::memcpy(record.path, path.c_str(), path.size() + 1);
  return record;
}

TEST(Decode, ReadsAThresholdCrossing) {
  auto record = record_of<evictd_threshold_event>(EVICTD_EVENT_THRESHOLD);
  record.cgroup = {.id = 7, .hierarchy = 4, .pad = 0};
  record.threshold_id = 11;
  record.value = 200;
  record.threshold_value = 100;
  record.signal = EVICTD_SIGNAL_CGROUP_TASKS;
  record.above = 1;
  record.origin = EVICTD_ORIGIN_FORK;
  Kept sink;
  const Decoded decoded = decode(&record, sizeof(record), base::KernelClock(), sink);
  EXPECT_TRUE(decoded.ok);
  EXPECT_EQ(decoded.kind, EventKind::kThreshold);
  ASSERT_EQ(sink.thresholds.size(), 1U);
  const ThresholdCrossed& event = sink.thresholds.front();
  EXPECT_EQ(event.threshold_id, 11U);
  EXPECT_EQ(event.signal, Signal::kCgroupTasks);
  EXPECT_EQ(event.direction, Direction::kUp);
  EXPECT_EQ(event.origin, Origin::kFork);
  EXPECT_EQ(event.cgroup, (CgroupId{.hierarchy = 4, .id = 7}));
  EXPECT_EQ(event.value, 200U);
  EXPECT_EQ(event.threshold_value, 100U);
  EXPECT_EQ(event.at, MonoTime{Duration{42}});
}

TEST(Decode, GivesTheMomentOnTheClockOfThisProcess) {
  const auto record = record_of<evictd_threshold_event>(EVICTD_EVENT_THRESHOLD);
  Kept sink;
  EXPECT_TRUE(decode(&record, sizeof(record), base::KernelClock(std::chrono::hours(24)), sink).ok);
  ASSERT_EQ(sink.thresholds.size(), 1U);
  EXPECT_EQ(sink.thresholds.front().at, MonoTime{std::chrono::hours(24) + Duration{42}});
}

TEST(Decode, ReadsAStall) {
  auto record = record_of<evictd_stall_event>(EVICTD_EVENT_STALL);
  record.slot = 3;
  record.generation = 9;
  record.stall_ns = 1000;
  record.window_ns = 5000;
  record.total_ns = 7000;
  Kept sink;
  EXPECT_TRUE(decode(&record, sizeof(record), base::KernelClock(), sink).ok);
  ASSERT_EQ(sink.stalls.size(), 1U);
  EXPECT_EQ(sink.stalls.front().slot, 3U);
  EXPECT_EQ(sink.stalls.front().generation, 9U);
  EXPECT_EQ(sink.stalls.front().stalled, Duration{1000});
  EXPECT_EQ(sink.stalls.front().window, Duration{5000});
  EXPECT_EQ(sink.stalls.front().total, Duration{7000});
}

TEST(Decode, ReadsAnApproach) {
  auto record = record_of<evictd_approach_event>(EVICTD_EVENT_APPROACH);
  record.cgroup = {.id = 7, .hierarchy = 4, .pad = 0};
  record.distance = 4096;
  record.rate = 1'000'000'000;
  record.cpu = 3;
  record.signal = EVICTD_SIGNAL_CGROUP_WORKING_SET;
  Kept sink;
  EXPECT_TRUE(decode(&record, sizeof(record), base::KernelClock(), sink).ok);
  ASSERT_EQ(sink.approaches.size(), 1U);
  EXPECT_EQ(sink.approaches.front().cgroup, (CgroupId{.hierarchy = 4, .id = 7}));
  EXPECT_EQ(sink.approaches.front().distance, 4096U);
  EXPECT_EQ(sink.approaches.front().cpu, 3U);
  EXPECT_EQ(sink.approaches.front().rate, 1'000'000'000U);
  EXPECT_EQ(sink.approaches.front().signal, Signal::kCgroupWorkingSet);
}

TEST(Decode, ReadsACgroupChange) {
  const evictd_cgroup_event record = cgroup_event(EVICTD_CGROUP_EMPTIED, "/kubepods/pod1");
  Kept sink;
  EXPECT_TRUE(decode(&record, sizeof(record), base::KernelClock(), sink).ok);
  ASSERT_EQ(sink.changes.size(), 1U);
  EXPECT_EQ(sink.changes.front().change, CgroupChange::kEmptied);
  EXPECT_EQ(sink.changes.front().parent_id, 6U);
  EXPECT_EQ(sink.changes.front().root_id, 5U);
  EXPECT_EQ(sink.changes.front().depth, 2U);
  EXPECT_EQ(sink.paths.front(), "/kubepods/pod1");
  EXPECT_FALSE(sink.changes.front().path_cut);
}

TEST(Decode, SaysWhenAPathWasCut) {
  const evictd_cgroup_event record =
      cgroup_event(EVICTD_CGROUP_CREATED, std::string(EVICTD_PATH_LEN - 1, 'x'));
  Kept sink;
  EXPECT_TRUE(decode(&record, sizeof(record), base::KernelClock(), sink).ok);
  EXPECT_TRUE(sink.changes.front().path_cut);
  EXPECT_EQ(sink.paths.front().size(), EVICTD_PATH_LEN - 1U);
}

TEST(Decode, ReadsAnOomKillWithAFullName) {
  auto record = record_of<evictd_oom_event>(EVICTD_EVENT_OOM);
  record.memory = {.id = 7, .hierarchy = 4, .pad = 0};
  record.pid = 1234;
  record.slot = EVICTD_NO_SLOT;
  std::memset(record.comm, 'c', sizeof(record.comm));
  Kept sink;
  EXPECT_TRUE(decode(&record, sizeof(record), base::KernelClock(), sink).ok);
  ASSERT_EQ(sink.oom_kills.size(), 1U);
  EXPECT_EQ(sink.oom_kills.front().pid, 1234U);
  EXPECT_EQ(sink.oom_kills.front().slot, kNoSlot);
  EXPECT_EQ(sink.comms.front(), std::string(EVICTD_COMM_LEN, 'c'));
}

TEST(Decode, RefusesRecordsShorterThanTheirKind) {
  const auto record = record_of<evictd_threshold_event>(EVICTD_EVENT_THRESHOLD);
  Kept sink;
  for (std::size_t size = 0; size < sizeof(record); ++size) {
    EXPECT_FALSE(decode(&record, size, base::KernelClock(), sink).ok) << size;
  }
  auto honest = record;
  honest.header.size = sizeof(evictd_event_header);
  EXPECT_FALSE(decode(&honest, honest.header.size, base::KernelClock(), sink).ok);
  EXPECT_TRUE(sink.empty());
}

TEST(Decode, RefusesUnknownKindsAndEnumerators) {
  Kept sink;
  auto unknown_kind = record_of<evictd_threshold_event>(EVICTD_EVENT_KINDS);
  EXPECT_FALSE(decode(&unknown_kind, sizeof(unknown_kind), base::KernelClock(), sink).ok);
  auto unknown_signal = record_of<evictd_threshold_event>(EVICTD_EVENT_THRESHOLD);
  unknown_signal.signal = EVICTD_SIGNALS;
  EXPECT_FALSE(decode(&unknown_signal, sizeof(unknown_signal), base::KernelClock(), sink).ok);
  const evictd_cgroup_event unknown_change = cgroup_event(EVICTD_CGROUP_EMPTIED + 1, "/pod");
  EXPECT_FALSE(decode(&unknown_change, sizeof(unknown_change), base::KernelClock(), sink).ok);
  evictd_cgroup_event path_beyond_record = cgroup_event(EVICTD_CGROUP_CREATED, "/pod");
  path_beyond_record.path_size = EVICTD_PATH_LEN + 1;
  EXPECT_FALSE(
      decode(&path_beyond_record, sizeof(path_beyond_record), base::KernelClock(), sink).ok);
  EXPECT_TRUE(sink.empty());
}

}  // namespace
}  // namespace evictd::probe
