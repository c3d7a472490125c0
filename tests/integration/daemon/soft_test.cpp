// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

/// By less than the quarter of the threshold at which a second victim goes as well.
constexpr std::int64_t kPastHard = kRunUp + kHeadroom - kHardHeadroom + kHardHeadroom / 8;

std::int64_t ns(const Json& record, const char* moment) {
  return record["timeline"][moment].get<std::int64_t>();
}

class Soft : public ArenaBySource {
 protected:
  [[nodiscard]] Json soft_config(const std::string& grace) const {
    Json config = base_config(GetParam());
    config["evictionHard"] = {{"allocatableMemory.available", std::to_string(kHardHeadroom)}};
    config["hardEvictionGracePeriodSeconds"] = 0;
    config["evictionSoft"] = {{"allocatableMemory.available", std::to_string(kHeadroom)}};
    config["evictionSoftGracePeriod"] = {{"allocatableMemory.available", grace}};
    config["evictionMaxPodGracePeriod"] = 3600;
    config["evictionPressureTransitionPeriod"] = "1s";
    return config;
  }
  /// The record of the first pass that waited for a grace period; null for none.
  [[nodiscard]] Json in_grace() {
    const Json answer = ask("records");
    for (const Json& record : answer["records"]) {
      if (record["outcome"] == "in_grace") {
        return record;
      }
    }
    return nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Soft, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Soft, ThereIsPressureAtOnceAndNobodyDiesWithinTheGracePeriod) {
  Actor& hog = add_hog({.name = "hog"}, kPastSoft);
  limit_memory();
  start_daemon(soft_config("1h"));

  hog.load.go();

  const Json seen = await_status([](const Json& now) {
    return has_condition(now, "MemoryPressure") && now["last_pass"]["outcome"] == "in_grace";
  });
  EXPECT_EQ(seen["counters"]["evictions"], 0);
  EXPECT_TRUE(hog.alive());
  const Json record = in_grace();
  ASSERT_TRUE(record.is_object());
  const Json& hook = record["timeline"]["hook_ns"];
  EXPECT_EQ(asked_for_by_kernel(record), GetParam() == Source::kEvents) << record.dump(1);
  if (record["trigger"] == "crossing") {
    ASSERT_TRUE(hook.is_number()) << record.dump(1);
    // What woke the hot thread may have been earlier than what it then found in the ring.
    EXPECT_LE(ns(record, "hook_ns"), ns(record, "begin_ns"));
  } else if (GetParam() == Source::kPolling) {
    EXPECT_TRUE(hook.is_null()) << record.dump(1);
  }
}

TEST_P(Soft, SigtermEndsGraceAndTransitionPeriodEndsPressure) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"}, kPastSoft);
  limit_memory();
  start_daemon(soft_config("2s"));
  const auto before = std::chrono::steady_clock::now().time_since_epoch();

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGTERM)) << end->text();
  const Json record = await_record(hog);
  const std::int64_t grace = std::chrono::nanoseconds(std::chrono::seconds(2)).count();
  EXPECT_GE(ns(record, "signal_ns") - before.count(), grace);
  if (GetParam() == Source::kEvents) {
    // Nothing but its own timer could have woken it.
    EXPECT_EQ(record["trigger"], "deadline");
    EXPECT_GE(ns(record, "signal_ns") - ns(record, "hook_ns"), grace);
  }
  await_status([](const Json& now) { return !has_condition(now, "MemoryPressure"); });
  EXPECT_TRUE(small.alive());
}

TEST_P(Soft, AGracePeriodThatRunsDelaysNoHardEviction) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"}, kPastHard);
  limit_memory();
  start_daemon(soft_config("1h"));

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_EQ(await_record(hog)["threshold"], std::to_string(kHardHeadroom));
  EXPECT_TRUE(small.alive());
}

TEST_P(Soft, VictimNamedByNeverEvictInGraceLivesAndIsReported) {
  const stage::PodSpec spec{.name = "hog", .termination_grace_seconds = 5};
  Actor& hog = add_hog(spec, kPastSoft, Manners::kStubborn);
  limit_memory();
  Json config = soft_config("100ms");
  start_daemon(config);
  hog.load.go();
  await_record(hog, "terminating");

  config["neverEvict"] = {{"namespaces", {"default"}}};
  reload(config.dump(2));

  const Json record = await_record(hog, "exceeded_grace");
  EXPECT_EQ(record["not_killed"], "never_evict");
  EXPECT_TRUE(record["timeline"]["killed_ns"].is_null()) << record.dump(1);
  EXPECT_EQ(lines_with(log(), "SIGKILL was not sent: neverEvict names it now"), 1U) << log();
  const ProgramEnd told = run_to_end(
      scratch_->path(),
      {EVICTCTL, "explain", "hog", "--socket", (scratch_->path() / "control.sock").string()});
  EXPECT_NE(told.output.find("SIGKILL was not sent: neverEvict names it now."), std::string::npos)
      << told.output;
  EXPECT_TRUE(hog.alive());
}

TEST_P(Soft, DryRunReportsVictimNamedByNeverEvictAsSurviving) {
  const stage::PodSpec spec{.name = "hog", .termination_grace_seconds = 5};
  Actor& hog = add_hog(spec, kPastSoft, Manners::kStubborn);
  limit_memory();
  Json config = soft_config("100ms");
  config["dryRun"] = true;
  start_daemon(config);
  hog.load.go();
  await_record(hog, "terminating");

  config["neverEvict"] = {{"namespaces", {"default"}}};
  reload(config.dump(2));

  const Json record = await_record(hog, "exceeded_grace");
  EXPECT_EQ(record["not_killed"], "never_evict");
  EXPECT_TRUE(record["timeline"]["killed_ns"].is_null()) << record.dump(1);
  EXPECT_EQ(lines_with(log(), "SIGKILL would not have been sent: neverEvict names it now"), 1U)
      << log();
  EXPECT_TRUE(hog.alive());
}

TEST_P(Soft, AHardThresholdCutsTheGraceOfASoftVictim) {
  Actor& steady = add_hog(
      {.name = "steady", .qos = stage::QosClass::kBurstable, .memory_request = Bytes{256 * kMiB}},
      kPastHard - kPastSoft);
  Actor& hog =
      add_hog({.name = "hog", .termination_grace_seconds = 3600}, kPastSoft, Manners::kStubborn);
  limit_memory();
  start_daemon(soft_config("100ms"));
  hog.load.go();
  EXPECT_EQ(await_record(hog, "terminating")["grace_seconds"], 3600);

  steady.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json evicted = await_record(hog);
  EXPECT_EQ(evicted["outcome"], "evicted");
  const Json escalated = ask("last_evictions").back();
  EXPECT_EQ(escalated["outcome"], "escalated");
  EXPECT_EQ(escalated["state"], "released");
  EXPECT_EQ(escalated["escalates"], evicted["id"]);
  EXPECT_EQ(evicted["escalated_by"], escalated["id"]);
  EXPECT_EQ(escalated["timeline"]["grace_began_ns"], evicted["timeline"]["signal_ns"]);
  EXPECT_EQ(escalated["timeline"]["grace_used_ms"], evicted["timeline"]["grace_used_ms"]);
  EXPECT_TRUE(steady.alive());
}

TEST_P(Soft, GraceCutSparesAPodHoldingEvictdAndReportsOnlyWhy) {
  Actor& steady = add_hog(
      {.name = "steady", .qos = stage::QosClass::kBurstable, .memory_request = Bytes{256 * kMiB}},
      kPastHard - kPastSoft);
  Actor& hog =
      add_hog({.name = "hog", .termination_grace_seconds = 3600}, kPastSoft, Manners::kStubborn);
  limit_memory();
  start_daemon(soft_config("100ms"));
  hog.load.go();
  await_record(hog, "terminating");
  ASSERT_TRUE(tree_->enter(hog.pod, daemon_->pid()));

  steady.load.go();

  EXPECT_EQ(await_record(hog, "exceeded_grace")["not_killed"], "own_process");
  EXPECT_EQ(lines_with(log(), "SIGKILL was not sent: evictd itself or pid 1 is in it"), 1U)
      << log();
  EXPECT_EQ(lines_with(log(), "cannot be evicted"), 0U) << log();
  EXPECT_TRUE(hog.alive());
}

}  // namespace
}  // namespace evictd::daemon::test
