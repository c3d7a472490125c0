// SPDX-License-Identifier: Apache-2.0
#include "cli/top/node_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::cli::top {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;

/// As a running evictd answers, less what the screen does not show.
Json status() {
  return Json::parse(R"({
    "version": "0.2.0", "node": "vm", "event_source": "bpf", "realtime": true, "dry_run": false,
    "last_pass": {"trigger": "release", "ms_ago": 2000, "outcome": "nothing_met", "reason": ""},
    "brakes": {"on": null},
    "signals": [
      {"signal": "memory.available", "kind": "soft", "threshold": "10%", "grace_period_ms": 90000,
       "available": 527093760, "capacity": 536870912, "met_below": 134217728, "observed": true,
       "met": false, "forecast": {"rate": 1048576, "time_to_threshold_ms": 90000}},
      {"signal": "nodefs.available", "kind": "hard", "threshold": "5%", "grace_period_ms": 0,
       "available": null, "capacity": null, "met_below": null, "observed": false, "met": false}],
    "conditions": [{"type": "DiskPressure", "status": false},
                   {"type": "MemoryPressure", "status": true, "last_observed_ms_ago": 90}],
    "pods": [
      {"namespace": "shop", "name": "cart", "uid": "aaaa", "state": "active", "origin": "manifest",
       "cgroup": "/kubepods/podaaaa", "protection": "static", "qos": "Burstable", "priority": 100,
       "memory_request_bytes": 67108864, "usage_bytes": 8413184, "inactive_file_bytes": 4096,
       "working_set_bytes": 8409088, "tasks": 1, "stall_us": 0, "rate_bytes_per_second": -5,
       "storage": {"ephemeral_bytes": 12}, "memory_rank": 1, "pid_rank": 2},
      {"namespace": "", "name": "", "uid": "bbbb", "state": "no_cgroup", "cgroup": null}],
    "counters": {"evictions": 3, "kernel_oom_kills": 1, "lost_records": 2}})");
}

TEST(NodeStateReading, ReadsWhatTheScreenShows) {
  const NodeState node = read_node_state(status());
  EXPECT_EQ(node.version, "0.2.0");
  EXPECT_EQ(node.last_pass, "2.0 s ago: nothing_met (release)");
  EXPECT_THAT(node.brake, IsEmpty());
  EXPECT_THAT(node.conditions, ElementsAre("MemoryPressure"));
  EXPECT_EQ(node.evictions, 3);
  ASSERT_EQ(node.signals.size(), 2U);
  EXPECT_EQ(node.signals[0].kind, "soft 90s");
  EXPECT_EQ(node.signals[0].distance(), 527093760 - 134217728);
  EXPECT_THAT(node.signals[0].time_to_threshold_ms, Optional(90'000));
  EXPECT_EQ(node.signals[0].forecast, "reaches 10% in 90.0 s, at 1.0Mi/s");
  EXPECT_FALSE(node.signals[1].observed);
  EXPECT_THAT(node.signals[1].forecast, IsEmpty());
  ASSERT_EQ(node.pods.size(), 2U);
  EXPECT_EQ(node.pods[0].name, "shop/cart");
  EXPECT_EQ(node.pods[0].state, "active, static");
  EXPECT_TRUE(node.pods[0].is_protected);
  EXPECT_THAT(node.pods[0].over_request(), Optional(8409088 - 67108864));
  EXPECT_THAT(node.pods[0].rate, Optional(-5));
  EXPECT_THAT(node.pods[0].local_storage, Optional(12));
}

TEST(NodeStateReading, APodWithoutACgroupHasItsUidAndNoAmounts) {
  const PodState pod = read_node_state(status()).pods[1];
  EXPECT_EQ(pod.name, "bbbb");
  EXPECT_EQ(pod.state, "no_cgroup");
  EXPECT_FALSE(pod.is_protected);
  EXPECT_THAT(pod.over_request(), Eq(std::nullopt));
  EXPECT_EQ(pod.memory_rank, 0);
}

TEST(NodeStateReading, FieldsOfAnotherTypeCountAsMissing) {
  const NodeState node = read_node_state(Json::parse(
      R"({"version": 7, "signals": {}, "pods": [1, "x", {"uid": 5, "priority": "high"}],
          "last_pass": [], "brakes": 3, "counters": null, "conditions": [null]})"));
  EXPECT_THAT(node.version, IsEmpty());
  EXPECT_THAT(node.signals, IsEmpty());
  ASSERT_EQ(node.pods.size(), 1U);
  EXPECT_EQ(node.pods[0].priority, std::nullopt);
  EXPECT_THAT(read_node_state(Json::array()).pods, IsEmpty());
}

TEST(NodeStateReading, ASignalThatMovesMoreThanAThousandthIsMoving) {
  const NodeState before = read_node_state(status());
  NodeState after = before;
  EXPECT_FALSE(is_moving(before, after));
  after.signals[0].available -= 536870912 / 1000;
  EXPECT_FALSE(is_moving(before, after));
  after.signals[0].available -= 1;
  EXPECT_TRUE(is_moving(before, after));
  after.signals.pop_back();
  EXPECT_TRUE(is_moving(before, after));
}

}  // namespace
}  // namespace evictd::cli::top
