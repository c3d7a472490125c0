// SPDX-License-Identifier: Apache-2.0
#include "daemon/preparations.h"

#include <gtest/gtest.h>

#include <string_view>

#include "base/system_clock.h"
#include "daemon/hot/hot_pod.h"

namespace evictd::daemon {
namespace {

config::Config config_of(std::string_view text) {
  return config::parse(text, "test.yaml").value();
}

TEST(HotConfig, HasTheThresholdsAndGracesOfTheConfiguration) {
  const auto hot = hot_config_of(config_of("evictionHard:\n"
                                           "  memory.available: 100Mi\n"
                                           "evictionMaxPodGracePeriod: 20\n"
                                           "evictionPressureTransitionPeriod: 45s\n"),
                                 {});
  ASSERT_TRUE(hot) << hot.error().message();
  const eviction::PassSettings& settings = (*hot)->manager.settings();
  EXPECT_EQ(settings.max_pod_grace, std::chrono::seconds(20));
  EXPECT_EQ(settings.pressure_transition_period, std::chrono::seconds(45));
  bool memory = false;
  for (const eviction::Threshold& threshold : (*hot)->manager.thresholds().all()) {
    memory = memory || (threshold.signal == eviction::Signal::kMemoryAvailable &&
                        eviction::to_string(threshold.value) == "100Mi");
  }
  EXPECT_TRUE(memory);
}

TEST(HotConfig, SaysWhoseProcessIdsAreCounted) {
  const auto scope_with = [](std::string_view text) {
    return hot_config_of(config_of(text), {}).value()->manager.settings().pid_scope;
  };
  EXPECT_EQ(scope_with(""), eviction::Scope::kNode);
  EXPECT_EQ(scope_with("pidAvailableSource: podRoot\n"), eviction::Scope::kPodRoot);
}

TEST(HotConfig, PollsAtOnePeriodUnlessPollingIsAdaptive) {
  const auto fixed = hot_config_of(config_of("pollInterval: 3s\n"), {});
  ASSERT_TRUE(fixed);
  EXPECT_EQ((*fixed)->interval.mode, poll::IntervalMode::kFixed);
  EXPECT_EQ((*fixed)->interval.longest, std::chrono::seconds(3));
}

TEST(PodEvents, AreToldByAnAttachedRowUnlessTheyAreThrownAway) {
  probe::Ladder ladder;
  EXPECT_FALSE(events_tell_pods(config_of("").settings(), ladder)) << "nothing is attached";
  probe::PurposeReport& cgroups = ladder.purposes.emplace_back();
  cgroups.purpose = probe::Purpose::kCgroups;
  cgroups.rows.push_back({.row = "raw_tp", .hook = {}, .chosen = true, .reason = {}});
  EXPECT_TRUE(events_tell_pods(config_of("").settings(), ladder));
  EXPECT_FALSE(
      events_tell_pods(config_of("faults:\n  dropKernelEvents: true\n").settings(), ladder));
}

TEST(HotConfig, DryRunIsHandedOver) {
  EXPECT_FALSE(hot_config_of(config_of(""), {}).value()->dry_run);
  EXPECT_TRUE(hot_config_of(config_of("dryRun: true\n"), {}).value()->dry_run);
}

TEST(MeasuredMachine, ZeroesAndHasMemory) {
  const eviction::Machine machine = measure_machine(base::SystemClock());
  EXPECT_GT(machine.zeroed_per_second, 1_MiB);
  EXPECT_GE(machine.cpus, 1);
  EXPECT_GT(machine.memory, 16_MiB);
}

TEST(ProbeOptions, HaveASlotForEveryPod) {
  const auto options = probe_options_of(config_of("").settings());
  ASSERT_TRUE(options);
  EXPECT_EQ(options->max_slots, kMaxPods);
  EXPECT_FALSE(options->drop_all_events);
  EXPECT_TRUE(options->pins.empty());
}

TEST(NotifyHook, IsNoneForAKeyThatIsNamed) {
  const auto reason = [](std::string_view text) {
    return no_notify_hook_because(config_of(text).settings());
  };
  EXPECT_EQ(reason("eventSource: poll\n"), "eventSource is poll");
  EXPECT_EQ(reason("attachPins:\n  notify: none\n"), "attachPins[notify] is none");
  EXPECT_EQ(reason(""), "");
  EXPECT_EQ(reason("attachPins:\n  notify: tp_btf\n"), "");
}

TEST(NotifyHook, IsTheOnePinnedAndNoneWithoutKernelEvents) {
  EXPECT_EQ(notify_hook(config_of("").settings()), "");
  EXPECT_EQ(notify_hook(config_of("eventSource: poll\n").settings()), "none");
  const config::Config pinned = config_of("attachPins:\n  notify: tp_btf\n");
  EXPECT_EQ(notify_hook(pinned.settings()), "tp_btf");
  const auto options = probe_options_of(pinned.settings());
  ASSERT_TRUE(options) << "it is no purpose of the evictor's own kernel side";
  EXPECT_TRUE(options->pins.empty());
}

TEST(NotifyDescriptors, AreASmallPartAndNoneUnlessNotificationsAreServed) {
  EXPECT_EQ(notify_descriptors(config_of("").settings(), 65536), 0U);
  const config::Config serving = config_of("notifySocket: /run/evictd/notify.sock\n");
  EXPECT_EQ(notify_descriptors(serving.settings(), 1024), 128U);
  EXPECT_EQ(notify_descriptors(serving.settings(), 1U << 20U), 8192U);
}

TEST(ProbeOptions, CanKillIfAGraceOfZeroIsGiven) {
  const auto can_kill = [](std::string_view text) {
    return probe_options_of(config_of(text).settings()).value().backstop;
  };
  EXPECT_FALSE(can_kill(""));
  EXPECT_TRUE(can_kill("hardEvictionGracePeriodSeconds: 0\n"));
  EXPECT_FALSE(can_kill("hardEvictionGracePeriodSeconds: 0\ninKernelBrake: off\n"));
}

TEST(ProbeOptions, TellWhetherTheBackstopIsOnlyADefault) {
  const auto by_default = [](std::string_view text) {
    return probe_options_of(config_of(text).settings()).value().backstop_by_default;
  };
  EXPECT_TRUE(by_default("hardEvictionGracePeriodSeconds: 0\n"));
  EXPECT_FALSE(by_default("hardEvictionGracePeriodSeconds: 0\ninKernelBrake: backstop\n"));
}

TEST(HotConfig, AGraceOfZeroBringsAMarginForTheKernelSide) {
  const auto margin = [](std::string_view text) {
    return hot_config_of(config_of(text), {}).value()->backstop_margin;
  };
  EXPECT_EQ(margin(""), std::nullopt);
  EXPECT_EQ(margin("hardEvictionGracePeriodSeconds: 0\nbrakeMargin: 3Mi\n"), 3_MiB);
}

TEST(ProbeOptions, PinsAreFoundByTheNameOfTheirPurpose) {
  config::Settings settings = config_of("").settings();
  const std::string name(probe::to_string(probe::Purpose::kMemoryCharge));
  settings.attach_pins = {{name, "kprobe"}};
  const auto options = probe_options_of(settings);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->pins.at(probe::Purpose::kMemoryCharge), "kprobe");
}

TEST(ProbeOptions, APurposeThatIsNoneIsAnError) {
  config::Settings settings = config_of("").settings();
  settings.attach_pins = {{"telepathy", "fentry"}};
  const auto options = probe_options_of(settings);
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, Errc::kInvalid);
  EXPECT_NE(options.error().message().find("telepathy"), std::string::npos);
}

}  // namespace
}  // namespace evictd::daemon
