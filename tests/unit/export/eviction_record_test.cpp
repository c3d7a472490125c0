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
  for (const char* stamp : {"hook_ns", "wake_ns", "begin_ns", "observe_ns", "decide_ns",
                            "signal_ns", "killed_ns", "exited_ns", "freed_ns"}) {
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
  record.unreaped_tasks = 12;
  record.message = "low";
  record.annotations = {{"starved_resource", "memory"}};
  record.events = {{.on = "pod", .reason = "Evicted", .message = "low"}};
  record.pod_conditions = {
      {.type = "DisruptionTarget", .reason = "TerminationByKubelet", .message = "low"}};
  record.timeline.hook = ns(1);
  record.timeline.freed = ns(9);
  record.thresholds.push_back({.signal = "memory.available",
                               .threshold = "10%",
                               .hardness = "soft",
                               .grace_period_ms = 1500,
                               .met = true,
                               .available = 5,
                               .capacity = 10,
                               .met_below = 6,
                               .min_reclaim = "1Mi",
                               .stood = "acted_on",
                               .met_for_ms = 40});
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
  EXPECT_EQ(json["unreaped_tasks"], 12);
  EXPECT_EQ(json["annotations"]["starved_resource"], "memory");
  EXPECT_EQ(json["events"][0]["type"], "Warning");
  EXPECT_EQ(json["events"][0]["reason"], "Evicted");
  EXPECT_EQ(json["pod_conditions"][0]["status"], "True");
  EXPECT_EQ(json["timeline"]["hook_ns"], 1);
  EXPECT_EQ(json["timeline"]["freed_ns"], 9);
  EXPECT_EQ(json["thresholds"][0]["hardness"], "soft");
  EXPECT_EQ(json["thresholds"][0]["grace_period_seconds"], 1) << "what older readers take";
  EXPECT_EQ(json["thresholds"][0]["grace_period_ms"], 1500);
  EXPECT_EQ(json["thresholds"][0]["met"], true);
  EXPECT_EQ(json["hooks"]["memory-charge"], "fentry");
}

TEST(EvictionRecordJson, ItsNodeIsReadAgainAndMayBeMissing) {
  EvictionRecord record;
  record.node = "worker-1";
  auto json = to_json(record);
  EXPECT_EQ(json["node"], "worker-1");
  EXPECT_EQ(record_from_json(json).value().node, "worker-1");
  json.erase("node");
  EXPECT_EQ(record_from_json(json).value().node, "") << "a record of an older version";
}

TEST(EvictionRecordJson, ByWhatDiskUsageAVictimWasChosenIsReadAgain) {
  EvictionRecord record;
  record.disk_basis = "certain";
  RecordedCandidate& candidate = record.ranking.emplace_back();
  candidate.counted = "part";
  candidate.error_bound = 77;
  const EvictionRecord again = record_from_json(to_json(record)).value();
  EXPECT_EQ(again.disk_basis, "certain");
  EXPECT_EQ(again.ranking.at(0).counted, "part");
  EXPECT_EQ(again.ranking.at(0).error_bound, 77);
}

TEST(EvictionRecordJson, WhyAVictimWasNotKilledIsReadAgainAndMayBeMissing) {
  EvictionRecord record;
  record.not_killed = "never_evict";
  auto json = to_json(record);
  EXPECT_EQ(record_from_json(json).value().not_killed, "never_evict");
  json.erase("not_killed");
  EXPECT_EQ(record_from_json(json).value().not_killed, "") << "a record of an older version";
}

TEST(EvictionRecordJson, ABridgeIsReadAgainAndMayBeMissing) {
  EvictionRecord record;
  record.bridge = RecordedBridge{.before = std::nullopt, .set = 69206016, .not_set = ""};
  auto json = to_json(record);
  EXPECT_TRUE(json["bridge"]["memory_high_before"].is_null()) << "max";
  EXPECT_EQ(json["bridge"]["memory_high"], 69206016);
  const EvictionRecord again = record_from_json(json).value();
  ASSERT_TRUE(again.bridge);
  EXPECT_EQ(again.bridge->set, 69206016);
  json.erase("bridge");
  EXPECT_FALSE(record_from_json(json).value().bridge) << "a record of an older version";
}

TEST(EvictionRecordJson, ABridgeIsSaidInWords) {
  EXPECT_EQ(bridge_text({.before = std::nullopt, .set = 69206016, .not_set = ""}),
            "its memory.high was lowered from max to 66 MiB");
  EXPECT_EQ(bridge_text({.before = 1 << 30, .set = 69206016, .not_set = ""}),
            "its memory.high was lowered from 1024 MiB to 66 MiB");
  EXPECT_EQ(bridge_text({.before = std::nullopt, .set = std::nullopt, .not_set = "no_memory_high"}),
            "its memory.high was not lowered: evictd could open none, as on cgroup v1");
  EXPECT_EQ(bridge_text({.before = std::nullopt, .set = std::nullopt, .not_set = "of the future"}),
            "its memory.high was not lowered: of the future");
}

TEST(EvictionRecordJson, WhatAVictimIsProtectedByIsSaidInWords) {
  EXPECT_EQ(not_killed_text("never_evict"), "SIGKILL was not sent: neverEvict names it now");
  EXPECT_EQ(not_killed_text("unreachable"),
            "SIGKILL was not sent: none of its processes could be signalled");
  EXPECT_EQ(not_killed_text("of the future"), "SIGKILL was not sent: of the future");
  EXPECT_EQ(not_killed_in_dry_run_text("never_evict"),
            "SIGKILL would not have been sent: neverEvict names it now");
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
                            .counted = "part",
                            .error_bound = 77,
                            .passed_over = "",
                            .reason = "chosen",
                            .keys = {.urgency = -1, .priority = -5, .missing = 0, .amount = 10}});
  const auto candidate = to_json(record)["ranking"][0];
  EXPECT_EQ(
      candidate.dump(),
      R"({"place":1,"namespace":"web","name":"front","uid":"u2","qos":"Burstable",)"
      R"("priority":-5,"usage":30,"request":20,"exceeds_request":true,"stall_us":11,)"
      R"("rate_bytes_per_second":-12,"reading_age_us":13,"source":"bpf","counted":"part",)"
      R"("error_bound":77,"passed_over":"",)"
      R"("reason":"chosen","sort_keys":{"urgency":-1,"priority":-5,"missing":0,"amount":10}})");
}

EvictionRecord told() {
  EvictionRecord record;
  record.id = 4;
  record.at = WallTime(std::chrono::seconds(1769860800));
  record.ns = "batch";
  record.name = "hog";
  record.uid = "u1";
  record.outcome = "evicted";
  record.state = "released";
  record.timeline.signal = ns(5'000'000);
  record.timeline.killed = ns(1'005'000'000);
  record.conditions = {"MemoryPressure"};
  record.observations.push_back({.signal = "memory.available",
                                 .available = 5,
                                 .capacity = 10,
                                 .age_us = 12,
                                 .source = "bpf",
                                 .error_bound = 4096,
                                 .kernel_available = 3});
  record.thresholds.push_back({.signal = "memory.available",
                               .threshold = "10%",
                               .hardness = "soft",
                               .grace_period_ms = 500,
                               .met = true,
                               .available = 5,
                               .capacity = std::nullopt,
                               .met_below = std::nullopt,
                               .min_reclaim = "",
                               .stood = "acted_on",
                               .met_for_ms = std::nullopt});
  record.ranking.emplace_back().uid = "u1";
  record.hooks = {{"memory-charge", "fentry"}};
  return record;
}

TEST(EvictionRecordJson, ReadsBackAsWhatWasWritten) {
  const auto json = to_json(told());
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
}

TEST(EvictionRecordJson, HowFastItFellMayBeMissing) {
  EvictionRecord record = told();
  record.rate = 300;
  record.because_of = RecordedCause{.ns = "shop", .name = "cart", .uid = "u2", .rate = 290};
  auto json = to_json(record);
  EXPECT_EQ(json["because_of"].dump(),
            R"({"namespace":"shop","name":"cart","uid":"u2","rate":290})");
  EXPECT_EQ(to_json(record_from_json(json).value()).dump(), json.dump());
  json.erase("rate");
  json.erase("because_of");
  const EvictionRecord older = record_from_json(json).value();
  EXPECT_EQ(older.rate, std::nullopt);
  EXPECT_FALSE(older.because_of);
}

TEST(EvictionRecordJson, WhatWasForeseenIsReadAgain) {
  EvictionRecord record = told();
  EXPECT_TRUE(to_json(record)["grace_given"].is_null());
  EXPECT_TRUE(to_json(record)["oom_guard"].is_null());
  record.grace = RecordedGrace{.given_ms = 350, .wanted_ms = 1000, .time_left_ms = 400};
  record.oom_guard =
      RecordedGuard{.left = 5, .rate = 60, .time_left_ms = 83, .horizon_ms = 100, .due = true};
  const auto json = to_json(record);
  EXPECT_EQ(json["grace_given"], 350);
  EXPECT_EQ(json["grace_wanted"], 1000);
  EXPECT_EQ(json["time_left"], 400);
  EXPECT_EQ(json["oom_guard"].dump(),
            R"({"due":true,"left":5,"rate":60,"time_left_ms":83,"horizon_ms":100})");
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
}

TEST(EvictionRecordJson, WhatTheKernelSideDidIsReadAgain) {
  EvictionRecord record = told();
  EXPECT_TRUE(to_json(record)["kernel_kill"].is_null());
  record.kernel_kill = RecordedKernelKill{
      .at = ns(7), .answers = {{.code = 0, .count = 2}, {.code = -1, .count = 1}}, .left_out = 3};
  auto json = to_json(record);
  EXPECT_EQ(json["kernel_kill"].dump(),
            R"({"at_ns":7,"answers":[{"code":0,"count":2},{"code":-1,"count":1}],"left_out":3})");
  EXPECT_EQ(to_json(record_from_json(json).value()).dump(), json.dump());
  json.erase("kernel_kill");
  EXPECT_FALSE(record_from_json(json).value().kernel_kill);
}

TEST(EvictionRecordJson, WhatCollectorsDidIsReadAgain) {
  EvictionRecord record = told();
  EXPECT_TRUE(to_json(record)["reclaim"].is_null());
  RecordedReclaim& reclaim = record.reclaim.emplace();
  reclaim.available_before = 4;
  reclaim.collectors.push_back({.collector = "containers",
                                .argv = {"/usr/bin/prune", "-f"},
                                .outcome = "failed",
                                .end = "exit status 3",
                                .took_ms = 1200,
                                .ended_at = ns(9)});
  reclaim.collectors.push_back({.collector = "images",
                                .argv = {"/usr/bin/rmi"},
                                .outcome = "under_way",
                                .end = "",
                                .took_ms = std::nullopt,
                                .ended_at = std::nullopt});
  const auto json = to_json(record);
  EXPECT_EQ(json["reclaim"].dump(),
            R"({"available_before":4,"collectors":[{"collector":"containers",)"
            R"("argv":["/usr/bin/prune","-f"],"outcome":"failed","end":"exit status 3",)"
            R"("took_ms":1200,"ended_at_ns":9},{"collector":"images","argv":["/usr/bin/rmi"],)"
            R"("outcome":"under_way","end":"","took_ms":null,"ended_at_ns":null}]})");
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
}

TEST(EvictionRecordJson, ARecordThatIsOlderThanTheTaleOfCollectorsIsRead) {
  auto json = to_json(told());
  json.erase("reclaim");
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_FALSE(read->reclaim);
}

TEST(EvictionRecordJson, AThresholdOfAnOlderRecordIsSoftByItsSeconds) {
  auto json = to_json(told());
  json["thresholds"][0].erase("hardness");
  json["thresholds"][0].erase("grace_period_ms");
  EXPECT_EQ(record_from_json(json)->thresholds.at(0).hardness, "hard");
  json["thresholds"][0]["grace_period_seconds"] = 30;
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->thresholds.at(0).hardness, "soft");
  EXPECT_EQ(read->thresholds.at(0).grace_period_ms, 30'000);
}

TEST(EvictionRecordJson, AHardnessThatIsNoneIsRefused) {
  auto json = to_json(told());
  json["thresholds"][0]["hardness"] = "firm";
  const auto read = record_from_json(json);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "thresholds[0].hardness: neither \"hard\" nor \"soft\"");
}

TEST(EvictionRecordJson, TellsHowMuchOfTheGraceWasUsed) {
  EXPECT_EQ(to_json(told())["timeline"]["grace_used_ms"], 1000);
  EvictionRecord polite = told();
  polite.timeline.killed.reset();
  polite.timeline.exited = ns(205'000'000);
  EXPECT_EQ(to_json(polite)["timeline"]["grace_used_ms"], 200);
  polite.timeline.exited.reset();
  EXPECT_TRUE(to_json(polite)["timeline"]["grace_used_ms"].is_null()) << "it is still running";
}

TEST(EvictionRecordJson, AnEscalationUsedTheGraceOfTheEvictionThatItCut) {
  EvictionRecord cut = told();
  cut.escalates = 2;
  cut.timeline.grace_began = ns(5'000'000);
  cut.timeline.signal = ns(951'000'000);
  cut.timeline.killed = ns(951'000'000);
  const auto json = to_json(cut);
  EXPECT_EQ(json["timeline"]["grace_used_ms"], 946);
  EXPECT_EQ(json["escalates"], 2);
  EXPECT_TRUE(json["escalated_by"].is_null());
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
}

TEST(EvictionRecordJson, ReadsWhatWasWrittenBeforeEscalationsWereLinked) {
  auto json = to_json(told());
  json.erase("escalates");
  json.erase("escalated_by");
  json["timeline"].erase("grace_began_ns");
  EXPECT_TRUE(record_from_json(json));
}

TEST(EvictionRecordJson, AnEvictionForLocalStorageSaysWhatWasMeasured) {
  EvictionRecord record = told();
  EXPECT_TRUE(to_json(record)["local_storage"].is_null());
  record.local_limit = "emptydirfs.limit";
  record.local_storage = {.what = "volume",
                          .name = "data",
                          .used_bytes = 9,
                          .limit_bytes = 4,
                          .age_us = 120,
                          .method = "walk",
                          .complete = false};
  const auto json = to_json(record);
  EXPECT_EQ(json["local_storage"].dump(),
            R"({"what":"volume","name":"data","used_bytes":9,"limit_bytes":4,"age_us":120,)"
            R"("method":"walk","complete":false})");
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
}

TEST(EvictionRecordJson, ReadsBackWhatContainersUsed) {
  EvictionRecord record = told();
  record.containers.push_back({.name = "app", .working_set_bytes = 300, .age_us = 4});
  const auto json = to_json(record);
  EXPECT_EQ(json["containers"].dump(), R"([{"name":"app","working_set_bytes":300,"age_us":4}])");
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
  auto older = json;
  older.erase("containers");
  EXPECT_TRUE(record_from_json(older));
}

TEST(EvictionRecordJson, ReadsBackWhoWasLookedAtForLocalStorage) {
  EvictionRecord record = told();
  record.local_candidates.push_back({.ns = "test",
                                     .name = "web",
                                     .uid = "u9",
                                     .local_limit = "ephemeralpodfs.limit",
                                     .storage = RecordedLocalStorage{.what = "pod",
                                                                     .name = "",
                                                                     .used_bytes = 9,
                                                                     .limit_bytes = 4,
                                                                     .age_us = 1,
                                                                     .method = "quota",
                                                                     .complete = true},
                                     .passed_over = "critical",
                                     .reason = "protected: critical priority"});
  record.local_candidates.emplace_back().passed_over = "within_limits";
  const auto json = to_json(record);
  EXPECT_EQ(json["local_candidates"][0]["local_storage"]["method"], "quota");
  EXPECT_TRUE(json["local_candidates"][1]["local_storage"].is_null());
  const auto read = record_from_json(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read).dump(), json.dump());
  auto older = json;
  older.erase("local_candidates");
  EXPECT_TRUE(record_from_json(older));
}

TEST(EvictionRecordJson, ARecordOfNobodyHasNoPod) {
  EvictionRecord nobody;
  nobody.outcome = "in_grace";
  EXPECT_TRUE(to_json(nobody)["pod"].is_null());
}

TEST(EvictionRecordJson, WhatIsWrongIsNamedByItsPlace) {
  auto json = to_json(told());
  json["ranking"][0]["usage"] = "much";
  const auto read = record_from_json(json);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "ranking[0].usage: not a whole number: \"much\"");
}

TEST(EvictionRecordJson, ANewerSchemaIsNotGuessedAt) {
  auto json = to_json(told());
  json["schema"] = 2;
  const auto read = record_from_json(json);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace evictd::exporting
