// SPDX-License-Identifier: Apache-2.0
#include "export/eviction_record.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace evictd::exporting {
namespace {

MonoTime ns(std::int64_t count) {
  return MonoTime(Duration(count));
}

TEST(EvictionRecordJson, WhatDidNotHappenIsNull) {
  const auto json = to_json(EvictionRecord{});
  for (const char* stamp : {"hook_ns", "wake_ns", "observe_ns", "decide_ns", "signal_ns",
                            "killed_ns", "exited_ns", "freed_ns"}) {
    EXPECT_TRUE(json["timeline"][stamp].is_null()) << stamp;
  }
  EXPECT_TRUE(json["available"].is_null());
  EXPECT_TRUE(json["capacity"].is_null());
  EXPECT_TRUE(json["remaining_bytes"].is_null());
  EXPECT_EQ(json["thresholds"].size(), 0U);
  EXPECT_EQ(json["ranking"].size(), 0U);
  EXPECT_TRUE(json["annotations"].is_object());
  EXPECT_TRUE(json["hooks"].is_object());
}

TEST(EvictionRecordJson, CarriesEveryField) {
  EvictionRecord record;
  record.id = 7;
  record.at = WallTime(std::chrono::seconds(1769860800));
  record.ns = "batch";
  record.name = "hog";
  record.uid = "u1";
  record.trigger = "crossing";
  record.outcome = "evicted";
  record.signal = "memory.available";
  record.threshold = "100Mi";
  record.resource = "memory";
  record.available = 5;
  record.capacity = 10;
  record.grace_seconds = 1;
  record.dry_run = true;
  record.method = "cgroup.kill";
  record.processes = 3;
  record.state = "released";
  record.remaining_bytes = 4096;
  record.message = "low";
  record.annotations = {{"starved_resource", "memory"}};
  record.timeline.hook = ns(1);
  record.timeline.freed = ns(9);
  record.thresholds.push_back({.signal = "memory.available",
                               .threshold = "10%",
                               .grace_period_seconds = 30,
                               .met = true,
                               .available = 5,
                               .capacity = 10});
  record.hooks = {{"memory-charge", "fentry"}};

  const auto json = to_json(record);
  EXPECT_EQ(json["id"], 7);
  EXPECT_EQ(json["time"], "2026-01-31T12:00:00.000000Z");
  EXPECT_EQ(json["pod"], "batch/hog");
  EXPECT_EQ(json["uid"], "u1");
  EXPECT_EQ(json["trigger"], "crossing");
  EXPECT_EQ(json["available"], 5);
  EXPECT_EQ(json["grace_seconds"], 1);
  EXPECT_EQ(json["dry_run"], true);
  EXPECT_EQ(json["remaining_bytes"], 4096);
  EXPECT_EQ(json["annotations"]["starved_resource"], "memory");
  EXPECT_EQ(json["timeline"]["hook_ns"], 1);
  EXPECT_EQ(json["timeline"]["freed_ns"], 9);
  EXPECT_EQ(json["thresholds"][0]["grace_period_seconds"], 30);
  EXPECT_EQ(json["thresholds"][0]["met"], true);
  EXPECT_EQ(json["hooks"]["memory-charge"], "fentry");
}

TEST(EvictionRecordJson, ACandidateCarriesWhatItWasRankedBy) {
  EvictionRecord record;
  record.ranking.push_back({.place = 1,
                            .ns = "web",
                            .name = "front",
                            .uid = "u2",
                            .qos = "Burstable",
                            .priority = -5,
                            .usage = 30,
                            .request = 20,
                            .exceeds_request = true,
                            .stall_us = 11,
                            .rate_bytes_per_second = -12,
                            .reading_age_us = 13,
                            .source = "bpf",
                            .passed_over = "",
                            .reason = "chosen"});
  const auto candidate = to_json(record)["ranking"][0];
  EXPECT_EQ(candidate.dump(),
            R"({"place":1,"namespace":"web","name":"front","uid":"u2","qos":"Burstable",)"
            R"("priority":-5,"usage":30,"request":20,"exceeds_request":true,"stall_us":11,)"
            R"("rate_bytes_per_second":-12,"reading_age_us":13,"source":"bpf","passed_over":"",)"
            R"("reason":"chosen"})");
}

}  // namespace
}  // namespace evictd::exporting
