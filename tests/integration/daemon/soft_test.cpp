// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

/// By less than the quarter of the threshold at which a second victim goes as well.
constexpr std::int64_t kPastHard = kRunUp + kHeadroom - kHardHeadroom + kHardHeadroom / 8;

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
};
INSTANTIATE_TEST_SUITE_P(BySource, Soft, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

std::int64_t ns(const Json& record, const char* moment) {
  return record["timeline"][moment].get<std::int64_t>();
}

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
}

TEST_P(Soft, TheVictimIsAskedToGoWhenTheGracePeriodEndsAndPressureIsOverAfterTheTransition) {
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

}  // namespace
}  // namespace evictd::daemon::test
