// SPDX-License-Identifier: Apache-2.0
#include "web/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Json status() {
  return Json::parse(R"({
    "version": "9.9", "node": "n", "compatibility": "1.32", "event_source": "bpf",
    "cgroup_mode": "v2", "uptime_ms": 1500, "dry_run": false, "realtime": true,
    "process": {"cpu_seconds": 0.25, "resident_bytes": 1048576},
    "signals": [
      {"signal": "memory.available", "kind": "hard", "available": 300, "capacity": 1000,
       "met_below": 100, "observed": true, "met": false},
      {"signal": "memory.available", "kind": "soft", "available": 300, "capacity": 1000,
       "met_below": 400, "observed": true, "met": true},
      {"signal": "pid.available", "kind": "hard", "available": null, "capacity": null,
       "met_below": null, "observed": false, "met": false}],
    "pods": [{"state": "active", "namespace": "a", "name": "x", "uid": "1", "memory_rank": 2, "tasks": 4},
             {"state": "active", "namespace": "a", "name": "y\"\n", "uid": "2", "memory_rank": 1}],
    "oom_guard": {"on": true, "armed": true, "watched_by_kernel": false, "left": 900, "rate": 0,
                  "due_below": 50, "time_left_ms": null, "due": false},
    "hooks": {"stall": "tp_btf"},
    "counters": {"passes": {"regular": 7}, "kernel_oom_kills": 1, "kernel": {
        "emitted": {"threshold": 5}, "delivered": {"threshold": 5}, "dropped": {"threshold": 0}}},
    "brakes": {"on": "eviction_rate", "held_passes": {"paused": 3}, "pauses": []},
    "records": {"file": null}})");
}

std::string text_of(const Json& answer, std::size_t pods = 0) {
  const EvictionHistory history;
  return exposition(
      make_metrics({.status = &answer, .history = &history, .version = "9.9", .pods = pods}));
}

TEST(Metrics, HasThresholdAvailableAndDistanceInBaseUnits) {
  const std::string text = text_of(status());
  EXPECT_THAT(text, HasSubstr("evictd_signal_available_bytes{signal=\"memory.available\"} 300\n"));
  EXPECT_THAT(text,
              HasSubstr("evictd_threshold_bytes{signal=\"memory.available\",kind=\"soft\"} 400\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "evictd_threshold_distance_bytes{signal=\"memory.available\",kind=\"soft\"} -100\n"));
  EXPECT_THAT(text, HasSubstr("evictd_threshold_met{signal=\"pid.available\",kind=\"hard\"} 0\n"));
}

TEST(Metrics, HasTheTimeToAThresholdIfForeseen) {
  Json answer = status();
  EXPECT_THAT(text_of(answer), Not(HasSubstr("evictd_threshold_time_to_reach_seconds")));
  answer["signals"][0]["forecast"] = {{"rate", 50}, {"time_to_threshold_ms", 4500}};
  answer["signals"][1]["forecast"] = {{"rate", 50}, {"time_to_threshold_ms", nullptr}};
  const std::string text = text_of(answer);
  const std::string name = "evictd_threshold_time_to_reach_seconds{signal=\"memory.available\"";
  EXPECT_THAT(text, HasSubstr(name + ",kind=\"hard\"} 4.5\n"));
  EXPECT_THAT(text, Not(HasSubstr(name + ",kind=\"soft\"")));
  EXPECT_THAT(text,
              HasSubstr("evictd_signal_fall_bytes_per_second{signal=\"memory.available\"} 50\n"));
}

TEST(Metrics, CountsThePlansOfTheKernelSideAndTheirEnds) {
  Json answer = status();
  EXPECT_THAT(text_of(answer), Not(HasSubstr("evictd_backstop")));
  answer["counters"]["backstop"] = {{"way", "tp_btf"}, {"armed", 5},   {"fired", 1},
                                    {"taken", 3},      {"expired", 1}, {"spared", {{"rival", 2}}}};
  const std::string text = text_of(answer);
  EXPECT_THAT(text, HasSubstr("evictd_backstop_armed_total 5\n"));
  EXPECT_THAT(text, HasSubstr("evictd_backstop_fired_total 1\n"));
  EXPECT_THAT(text, HasSubstr("evictd_backstop_spared_total{reason=\"rival\"} 2\n"));
}

TEST(Metrics, HasTheDistanceOfTheOomGuard) {
  const std::string text = text_of(status());
  EXPECT_THAT(text, HasSubstr("evictd_oom_guard_armed 1\n"));
  EXPECT_THAT(text, HasSubstr("evictd_oom_guard_left_bytes 900\n"));
  EXPECT_THAT(text, HasSubstr("evictd_oom_guard_due_below_bytes 50\n"));
  EXPECT_THAT(text, HasSubstr("evictd_oom_guard_watched_by_kernel 0\n"));
}

TEST(KubeMetrics, HaveTheComparisonAndLoopsOfEvictions) {
  const Json kube = Json::parse(R"({
    "version": "9.9", "node": "n", "pods": 3, "confirmed_ms_ago": 1500, "problems": ["p"],
    "actions": {"waiting": 2, "counters": {"loops": 4},
                "loops": {"damped_until": "2026-11-20T22:15:00Z", "controllers": [
                  {"kind": "ReplicaSet", "namespace": "n", "name": "web", "loops": 2}]}},
    "observe": {"summary": {"same_pod": 5, "other_pod": 1, "evictd_earlier": 4, "unclear": 2,
                            "median_evictd_earlier_ms": 7500, "median_more_available": 1024}}})");
  const std::string text =
      exposition(make_metrics({.asks_kube = true, .kube_status = &kube, .version = "9.9"}));
  for (const char* const line :
       {"evictd_kube_up 1\n", "evictd_kube_pods 3\n", "evictd_kube_confirmed_age_seconds 1.5\n",
        "evictd_kube_problems 1\n", "evictd_kube_eviction_loops_total 4\n",
        "evictd_kube_looping_controller{kind=\"ReplicaSet\",namespace=\"n\",name=\"web\"} 2\n",
        "evictd_kube_damped 1\n", "evictd_kube_compared_evictions{who=\"same_pod\"} 5\n",
        "evictd_kube_compared_pairs{earlier=\"evictd\"} 4\n",
        "evictd_kube_compared_lead_seconds 7.5\n",
        "evictd_kube_compared_more_available_bytes 1024\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(KubeMetrics, AreThereOnlyWhereEvictdKubeIsAsked) {
  EXPECT_THAT(exposition(make_metrics({.asks_kube = true, .version = "9.9"})),
              HasSubstr("evictd_kube_up 0\n"));
  EXPECT_THAT(exposition(make_metrics({.version = "9.9"})), Not(HasSubstr("evictd_kube")));
}

TEST(Metrics, LeavesOutWhatIsNotKnown) {
  const std::string text = text_of(status());
  EXPECT_THAT(text, Not(HasSubstr("evictd_signal_available_tasks")));
  EXPECT_THAT(text, HasSubstr("evictd_signal_observed{signal=\"pid.available\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("evictd_records_written_total")));
}

TEST(Metrics, CountsPodsByStateAndNamesNoneUnasked) {
  const std::string text = text_of(status());
  EXPECT_THAT(text, HasSubstr("evictd_pods{state=\"active\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("evictd_pods{state=\"unknown\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("evictd_pod_")));
}

TEST(Metrics, NamesTheFirstPodsByRank) {
  const std::string one = text_of(status(), 1);
  EXPECT_THAT(one, HasSubstr("pod=\"y\\\"\\n\""));
  EXPECT_THAT(one, Not(HasSubstr("pod=\"x\"")));
  EXPECT_THAT(text_of(status(), 10), HasSubstr("pod=\"x\""));
}

TEST(Metrics, HasTheKubeletsNamesAndLatencies) {
  EvictionHistory history;
  history.take(Json::parse(R"({"kind": "decision", "outcome": "evicted", "dry_run": false, "id": 1,
      "signal": "memory.available", "timeline": {"hook_ns": 0, "first_signal_ns": 60000}})"));
  const std::string text = exposition(make_metrics({.history = &history, .version = "9.9"}));
  EXPECT_THAT(text, HasSubstr("kubelet_evictions{eviction_signal=\"memory.available\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("evictd_detection_to_signal_seconds_bucket{le=\"0.0001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("evictd_detection_to_signal_seconds_bucket{le=\"5e-05\"} 0\n"));
}

TEST(Metrics, SaysThatEvictdDoesNotAnswer) {
  const std::string text = exposition(make_metrics({.version = "9.9"}));
  EXPECT_THAT(text, HasSubstr("evictd_up 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("evictd_build_info")));
}

TEST(Metrics, SurvivesAnAnswerOfOtherTypes) {
  const Json odd =
      Json::parse(R"({"signals": [null, 3, {"signal": 4}], "pods": [[], "x"], "hooks": [],
      "counters": "none", "brakes": null, "records": 1})");
  EXPECT_THAT(text_of(odd, 5), HasSubstr("evictd_up 1\n"));
}

}  // namespace
}  // namespace evictd::web
