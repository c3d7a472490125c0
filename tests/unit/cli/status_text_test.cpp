// SPDX-License-Identifier: Apache-2.0
#include "cli/status_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

namespace evictd::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string printed(const Json& status) {
  std::ostringstream out;
  print_status(status, out);
  return out.str();
}

/// The first line of `text` that begins with `start`; empty if there is none.
std::string line_of(const std::string& text, std::string_view start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::string_view(line).starts_with(start)) {
      return line;
    }
  }
  return {};
}

TEST(StatusText, AnEmptyAnswerIsShownAsDashes) {
  const std::string text = printed(Json::object());
  EXPECT_EQ(line_of(text, "evictd"), "evictd - (pid -), kubelet - rules, events from -");
  EXPECT_EQ(line_of(text, "conditions"), "conditions: none");
  EXPECT_EQ(line_of(text, "no evictions"), "no evictions yet");
}

TEST(StatusText, FieldsOfAnotherKindDoNotEndTheProgram) {
  const std::string text = printed({{"version", 3},
                                    {"pods", "none"},
                                    {"signals", nullptr},
                                    {"conditions", 1},
                                    {"last_pass", Json::array()},
                                    {"hooks", Json::array({1})},
                                    {"counters", "x"},
                                    {"evictions", Json::object()}});
  EXPECT_EQ(line_of(text, "evictd"), "evictd 3 (pid -), kubelet - rules, events from -");
}

TEST(StatusText, TheFirstLineNamesTheNode) {
  const std::string text = printed({{"version", "1"}, {"node", "worker-1"}});
  EXPECT_EQ(line_of(text, "evictd"),
            "evictd 1 (pid -) on node worker-1, kubelet - rules, events from -");
}

TEST(StatusText, TheAgeOfWhatASourceToldOfPodsIsShown) {
  const std::string text = printed({{"manifests",
                                     {{{"directory", "/run/a"}, {"confirmed_ms_ago", 1500}},
                                      {{"directory", "/run/b"}, {"confirmed_ms_ago", nullptr}}}}});
  EXPECT_EQ(line_of(text, "manifests in /run/a"),
            "manifests in /run/a: confirmed by their source 1500 ms ago");
  EXPECT_EQ(line_of(text, "manifests in /run/b"), "") << "nobody tells";
}

TEST(StatusText, DryRunIsSaidInTheFirstLine) {
  const std::string text = printed({{"dry_run", true}, {"event_source", "bpf"}});
  EXPECT_NE(line_of(text, "evictd").find("DRY RUN: nothing is killed"), std::string::npos);
}

TEST(StatusText, PlansOfTheKernelSideAreShownWithTheirWay) {
  EXPECT_EQ(line_of(printed({{"counters", {{"backstop", nullptr}}}}), "in-kernel brake"), "");
  const Json backstop = {{"way", "tp_btf"}, {"armed", 5},   {"fired", 1},
                         {"taken", 3},      {"expired", 1}, {"spared", {{"rival", 2}}}};
  EXPECT_EQ(line_of(printed({{"counters", {{"backstop", backstop}}}}), "in-kernel brake"),
            "in-kernel brake tp_btf: armed 5, fired 1, taken back 3, expired 1, spared "
            "{\"rival\":2}");
}

TEST(StatusText, LostRealTimePriorityIsShown) {
  const auto shown = [](bool in_force, const Json& losses) {
    return line_of(printed({{"realtime", in_force}, {"counters", {{"realtime_losses", losses}}}}),
                   "pod root");
  };
  EXPECT_NE(shown(true, 0).find(", real-time yes,"), std::string::npos) << shown(true, 0);
  EXPECT_NE(shown(false, 1).find(", real-time no (lost 1 time),"), std::string::npos)
      << shown(false, 1);
  EXPECT_NE(shown(true, 2).find(", real-time yes (lost 2 times),"), std::string::npos)
      << shown(true, 2);
}

TEST(StatusText, HowMemoryAvailableIsWorkedOutIsShown) {
  const std::string text = printed({{"memory_available",
                                     {{"source", "memAvailable"},
                                      {"swap_aware", true},
                                      {"hugepage_aware", false},
                                      {"watched_by_kernel", true},
                                      {"polled", true}}}});
  EXPECT_EQ(line_of(text, "memoryAvailableSource"),
            "memoryAvailableSource memAvailable, swapAware yes, hugepageAware no, watched by the "
            "kernel side yes, polled yes");
  EXPECT_EQ(line_of(printed({{"memory_available", 1}}), "memoryAvailableSource"), "");
}

TEST(StatusText, HowPidAvailableIsWatchedIsShown) {
  const std::string text =
      printed({{"pid_available_source", "node"},
               {"pid_available", {{"watched_by_kernel", true}, {"polled", true}}}});
  EXPECT_EQ(line_of(text, "pidAvailableSource"),
            "pidAvailableSource node, watched by the kernel side yes, polled yes");
  EXPECT_EQ(line_of(printed({{"pid_available", 1}}), "pidAvailableSource"), "");
}

TEST(StatusText, MemoryIsShownInBinaryUnitsAndTasksAsTheyAre) {
  const std::string text = printed({{"signals",
                                     {{{"signal", "memory.available"},
                                       {"kind", "hard"},
                                       {"threshold", "100Mi"},
                                       {"grace_period_seconds", 0},
                                       {"available", 1610612736},
                                       {"capacity", 4294967296},
                                       {"met", false}},
                                      {{"signal", "pid.available"},
                                       {"kind", "soft"},
                                       {"threshold", "10%"},
                                       {"grace_period_seconds", 30},
                                       {"available", 2048},
                                       {"capacity", 32768},
                                       {"met", true}}}}});
  EXPECT_EQ(line_of(text, "memory.available"),
            "memory.available             hard       100Mi     0s        1.5Gi        4.0Gi   no");
  EXPECT_EQ(line_of(text, "pid.available"),
            "pid.available                soft         10%    30s         2048        32768  yes");
}

TEST(StatusText, WhenAThresholdIsReachedAndWhy) {
  const auto shown = [](const Json& forecast) {
    return line_of(
        printed(
            {{"signals",
              {{{"signal", "memory.available"}, {"threshold", "100Mi"}, {"forecast", forecast}}}}}),
        "memory.available reaches");
  };
  Json forecast = {{"rate", 314572800},
                   {"time_to_threshold_ms", 4200},
                   {"because_of", {{"namespace", "shop"}, {"name", "cart"}, {"uid", "u1"}}}};
  EXPECT_EQ(shown(forecast),
            "memory.available reaches 100Mi in 4.2 s, at 300.0Mi/s, because of shop/cart");
  forecast["because_of"] = nullptr;
  EXPECT_EQ(shown(forecast), "memory.available reaches 100Mi in 4.2 s, at 300.0Mi/s");
  for (const Json& none : {Json(0), Json(), Json("soon")}) {
    forecast["time_to_threshold_ms"] = none;
    EXPECT_EQ(shown(forecast), "") << none;
  }
  EXPECT_EQ(shown(nullptr), "");
}

TEST(StatusText, AGraceThatIsNoWholeNumberOfSecondsIsToldWhole) {
  const auto grace = [](int ms) {
    return line_of(printed({{"signals",
                             {{{"signal", "pid.available"},
                               {"kind", "soft"},
                               {"threshold", "10%"},
                               {"grace_period_seconds", ms / 1000},
                               {"grace_period_ms", ms}}}}}),
                   "pid.available");
  };
  EXPECT_NE(grace(500).find("  500ms "), std::string::npos) << grace(500);
  EXPECT_NE(grace(1500).find("   1.5s "), std::string::npos) << grace(1500);
}

TEST(StatusText, OnlyConditionsThatAreSetAreNamed) {
  const std::string text = printed({{"conditions",
                                     {{{"type", "MemoryPressure"}, {"status", true}},
                                      {{"type", "PIDPressure"}, {"status", false}}}}});
  EXPECT_EQ(line_of(text, "conditions"), "conditions: MemoryPressure");
}

TEST(StatusText, APodWithoutANameIsShownByItsUid) {
  const std::string text =
      printed({{"pods",
                {{{"uid", "0001"}, {"name", ""}, {"namespace", ""}, {"state", "unknown"}},
                 {{"uid", "0002"}, {"name", "a"}, {"namespace", "b"}, {"state", "active"}}}}});
  EXPECT_NE(line_of(text, "0001").find("unknown"), std::string::npos);
  EXPECT_FALSE(line_of(text, "b/a").empty());
}

TEST(StatusText, NoTextOfAnAnswerForgesALine) {
  const std::string text = printed({{"problems", {"a\nforged"}},
                                    {"hooks", {{"x\nforged", "y\nforged"}}},
                                    {"pods", {{{"uid", "1"}, {"name", "a\nforged"}}}}});
  EXPECT_EQ(line_of(text, "forged"), "");
  EXPECT_EQ(line_of(text, "problem"), "problem: a\\x0aforged");
  EXPECT_EQ(line_of(text, "hooks"), "hooks: x\\x0aforged=y\\x0aforged");
}

TEST(StatusText, ProblemsAndEvictionsAreListed) {
  const std::string text = printed({{"problems", {"a.yaml:3: no pod"}},
                                    {"evictions",
                                     {{{"id", 1},
                                       {"time", "2026-01-31T12:00:00.000000Z"},
                                       {"pod", "batch/hog"},
                                       {"signal", "memory.available"},
                                       {"grace_seconds", 1},
                                       {"state", "released"}}}}});
  EXPECT_EQ(line_of(text, "problem"), "problem: a.yaml:3: no pod");
  EXPECT_NE(line_of(text, "   1 2026").find("batch/hog"), std::string::npos);
}

TEST(StatusText, EvictionShowsDryRunAndExceededGracePeriod) {
  const std::string text =
      printed({{"evictions",
                {{{"id", 1}, {"state", "killed"}, {"dry_run", true}},
                 {{"id", 2}, {"state", "exceeded_grace"}, {"dry_run", false}, {"not_killed", ""}},
                 {{"id", 3}, {"state", "exceeded_grace"}, {"not_killed", "never_evict"}},
                 {{"id", 4},
                  {"state", "exceeded_grace"},
                  {"dry_run", true},
                  {"not_killed", "critical"}}}}});
  EXPECT_NE(line_of(text, "   1 ").find("counts as killed (dry run)"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "   2 ").find("ExceededGracePeriod"), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "   2 ").find("dry run"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "   3 ").find("not killed: never_evict"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "   4 ").find("would not be killed: critical (dry run)"),
            std::string::npos)
      << text;
}

Json notify_status() {
  return {{"socket", "/run/evictd/notify.sock"},
          {"serving", true},
          {"problem", ""},
          {"failures", 0},
          {"stale", false},
          {"backend", "kernel"},
          {"watches_by", "tp_btf/mod_memcg_state"},
          {"polls_because", ""},
          {"no_pressure_because", ""},
          {"connections", 2},
          {"registrations", 4},
          {"registrations_by_signal", {{"usage", 3}, {"rate", 0}, {"pids", 1}}},
          {"deliveries", 5},
          {"lost", 6},
          {"resyncs", 7},
          {"refused", 8},
          {"expelled", 9},
          {"limits", {{"user", {{"connections", 32}, {"registrations", 1024}}}}}};
}

TEST(StatusText, NotificationsAreShownWhereTheyAreServed) {
  const std::string text = printed({{"notify", notify_status()}});
  EXPECT_EQ(line_of(text, "notifications"),
            "notifications: /run/evictd/notify.sock by kernel (tp_btf/mod_memcg_state)");
  EXPECT_EQ(line_of(text, "  connections"),
            "  connections 2, registrations 4 (usage 3, pids 1), deliveries 5, lost 6, resyncs 7");
  EXPECT_EQ(line_of(text, "  refused"),
            "  refused 8, expelled 9; limit of a user: registrations 1024, connections 32");
  EXPECT_EQ(line_of(text, "  files are read"), "");
  EXPECT_EQ(line_of(printed({{"notify", nullptr}}), "notifications"), "");
  EXPECT_EQ(line_of(printed({{"notify", Json::object()}}), "notifications"), "");
}

TEST(StatusText, NotificationsFromFilesSayWhy) {
  Json notify = notify_status();
  notify["backend"] = "polling";
  notify["watches_by"] = "files, every 100ms";
  notify["polls_because"] = "no kernel program can be loaded";
  notify["no_pressure_because"] = "no row of pressure loads";
  notify["stale"] = true;
  const std::string text = printed({{"notify", notify}});
  EXPECT_EQ(line_of(text, "notifications"),
            "notifications: /run/evictd/notify.sock by polling (files, every 100ms), values are "
            "old: it does not answer");
  EXPECT_EQ(line_of(text, "  files are read"), "  files are read: no kernel program can be loaded");
  EXPECT_EQ(line_of(text, "  no pressure"), "  no pressure levels: no row of pressure loads");
}

TEST(StatusText, NotificationsThatAreNotServedAreAProblem) {
  Json notify = notify_status();
  notify["serving"] = false;
  notify["failures"] = 1;
  notify["problem"] = "bind: no\nforged";
  const std::string text = printed({{"notify", notify}});
  EXPECT_EQ(line_of(text, "problem"),
            "problem: no notifications on /run/evictd/notify.sock (1 failures): bind: "
            "no\\x0aforged");
  EXPECT_EQ(line_of(text, "notifications"), "");
}

TEST(StatusText, WithoutAPodRootSaysNone) {
  EXPECT_NE(line_of(printed({{"pod_root", ""}}), "pod root").find("pod root none ("),
            std::string::npos);
}

}  // namespace
}  // namespace evictd::cli
