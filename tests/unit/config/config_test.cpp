// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "parsed.h"
#include "support/fake_tree.h"

namespace evictd::config {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

using Texts = std::map<std::string, std::string>;

TEST(Config, AGraceOfZeroBringsTheBackstopUnlessSetOrPolled) {
  const auto mode = [](std::string_view text) { return parsed(text)->in_kernel_brake_mode(); };
  EXPECT_EQ(mode(""), InKernelBrake::kOff);
  EXPECT_EQ(mode("hardEvictionGracePeriodSeconds: 1\n"), InKernelBrake::kOff);
  EXPECT_EQ(mode("hardEvictionGracePeriodSeconds: 0\n"), InKernelBrake::kBackstop);
  EXPECT_EQ(mode("hardEvictionGracePeriodSeconds: 0\ninKernelBrake: off\n"), InKernelBrake::kOff);
  EXPECT_EQ(mode("hardEvictionGracePeriodSeconds: 0\neventSource: poll\n"), InKernelBrake::kOff);
  EXPECT_EQ(mode("compatibility: 1.26\n"), InKernelBrake::kOff) << "its 0 is not given";
  EXPECT_EQ(mode("inKernelBrake: immediate\n"), InKernelBrake::kImmediate);
}

TEST(Config, AnEmptyFileMeansTheDefaultsOfTheKubelet) {
  const Config config = parsed("");
  EXPECT_EQ(config->eviction.hard, (Texts{{"memory.available", "100Mi"},
                                          {"nodefs.available", "10%"},
                                          {"nodefs.inodesFree", "5%"},
                                          {"imagefs.available", "15%"},
                                          {"imagefs.inodesFree", "5%"}}));
  EXPECT_TRUE(config->eviction.soft.empty());
  EXPECT_EQ(config->eviction.pressure_transition_period, 5min);
  EXPECT_EQ(config->eviction.max_pod_grace_period, 0s);
  EXPECT_EQ(config->eviction.enforce_node_allocatable, (std::vector<std::string>{"pods"}));
  EXPECT_EQ(config->poll_interval, 10s);
  EXPECT_EQ(config->control_socket_path(), "/run/evictd/control.sock");
  // The five, and the copy of memory.available for the pods' allocatable memory.
  EXPECT_EQ(config.thresholds().size(), 6U);
}

TEST(Config, OlderKubeletHasNoDefaultForImagefsInodes) {
  const Config config = parsed("compatibility: 1.26\n");
  EXPECT_EQ(config->compatibility, eviction::Compat::k1_26);
  EXPECT_FALSE(config->eviction.hard.contains("imagefs.inodesFree"));
  EXPECT_EQ(config->eviction.hard.size(), 4U);
}

TEST(Config, SettingOneHardThresholdDropsTheOthers) {
  const Config config = parsed("evictionHard:\n  memory.available: 1Gi\n");
  EXPECT_EQ(config->eviction.hard, (Texts{{"memory.available", "1Gi"}}));
}

TEST(Config, AnEmptyMapOfHardThresholdsMeansNone) {
  EXPECT_TRUE(parsed("evictionHard: {}\n").thresholds().empty());
}

TEST(Config, SoftThresholdsAloneKeepTheHardDefaults) {
  const Config config = parsed(
      "evictionSoft: {memory.available: 2Gi}\n"
      "evictionSoftGracePeriod: {memory.available: 2m}\n");
  EXPECT_EQ(config->eviction.hard.size(), 5U);
  EXPECT_EQ(config.thresholds().size(), 7U);
}

TEST(Config, EveryKeyReachesItsSetting) {
  const Config config = parsed(R"(
compatibility: "1.26"
hardEvictionGracePeriodSeconds: 3
hardEvictionGracePolicy: kubelet
graceBridge: memoryHigh
oomGuard: off
hardEvictionFloor: 64Mi
dryRun: true
pidAvailableSource: podRoot
evictionHard: {memory.available: 1Gi, pid.available: "100"}
evictionSoft: {memory.available: 2Gi}
evictionSoftGracePeriod: {memory.available: 2m}
evictionMinimumReclaim: {memory.available: 50Mi}
evictionPressureTransitionPeriod: 30s
evictionMaxPodGracePeriod: 5
enforceNodeAllocatable: [pods, kube-reserved]
cgroupRoot: /machine/
cgroupDriver: systemd
manifestDirectories: [/var/lib/evictd/pods]
staticManifestDirectories: [/etc/kubernetes/manifests]
evictUnknownPods: true
podGlobs:
  - {glob: "/system.slice/batch-*.service", name: batch, priority: -10, memoryRequest: 256Mi}
  - glob: /user.slice
nodeName: worker-1
eventSource: bpf
pollInterval: 2s
adaptivePolling: {enabled: true, min: 50ms, max: 5s}
hysteresis: {memory: 2Mi, tasks: 32}
stall: {notice: 20ms, window: 500ms}
attachPins: {memory-charge: kprobe, oom: none}
inKernelBrake: backstop
brakeMargin: 2Mi
perPageHook: true
customBtfPath: /boot/vmlinux.btf
sweep:
  basePeriod: 50ms
  floor: 30us
  nearDistance: 8Mi
  rateUp: 20Gi
  rateDown: 1e9
  kickWindow: 5ms
  fastTickBurst: 10
  fastTicksPerSecond: 20
realtime: {enabled: false, priority: 99, limit: 1s}
lockMemory: false
watchdog: false
runtimeDirectory: /tmp/run
controlSocket: /tmp/run/s
notifySocket: /tmp/run/n
log: {format: json, level: debug}
faults: {dropKernelEvents: true}
)");
  const Settings& settings = config.settings();
  EXPECT_EQ(settings.hard_eviction.grace_period, 3s);
  EXPECT_EQ(settings.hard_eviction.grace_policy, eviction::GracePolicy::kKubelet);
  EXPECT_EQ(settings.grace_bridge, GraceBridge::kMemoryHigh);
  EXPECT_FALSE(settings.hard_eviction.oom_guard);
  EXPECT_EQ(settings.hard_eviction.floor, (Floor{.amount = 64 << 20, .percent = 0}));
  EXPECT_TRUE(settings.dry_run);
  EXPECT_EQ(settings.pid_available_source, PidAvailableSource::kPodRoot);
  EXPECT_EQ(settings.eviction.minimum_reclaim, (Texts{{"memory.available", "50Mi"}}));
  EXPECT_EQ(settings.eviction.pressure_transition_period, 30s);
  EXPECT_EQ(settings.eviction.max_pod_grace_period, 5s);
  EXPECT_EQ(settings.eviction.enforce_node_allocatable.size(), 2U);
  EXPECT_EQ(settings.cgroup_root, "/machine");
  EXPECT_EQ(settings.cgroup_driver, CgroupDriver::kSystemd);
  EXPECT_EQ(settings.manifest_directories.front(), "/var/lib/evictd/pods");
  EXPECT_EQ(settings.static_manifest_directories.front(), "/etc/kubernetes/manifests");
  EXPECT_TRUE(settings.evict_unknown_pods);
  ASSERT_EQ(settings.pod_globs.size(), 2U);
  EXPECT_EQ(settings.pod_globs[0], (PodGlob{.glob = "/system.slice/batch-*.service",
                                            .name = "batch",
                                            .priority = -10,
                                            .memory_request = 256_MiB}));
  EXPECT_EQ(settings.pod_globs[1].memory_request, std::nullopt);
  EXPECT_EQ(settings.node_name, "worker-1");
  EXPECT_EQ(settings.event_source, EventSource::kBpf);
  EXPECT_EQ(settings.poll_interval, 2s);
  EXPECT_EQ(settings.adaptive_polling, (AdaptivePolling{.enabled = true, .min = 50ms, .max = 5s}));
  EXPECT_EQ(settings.hysteresis, (HysteresisSettings{.memory = 2_MiB, .tasks = 32}));
  EXPECT_EQ(settings.stall, (StallSettings{.notice = 20ms, .window = 500ms}));
  EXPECT_EQ(settings.attach_pins, (Texts{{"memory-charge", "kprobe"}, {"oom", "none"}}));
  EXPECT_EQ(settings.in_kernel_brake,
            (InKernelBrakeSettings{.mode = InKernelBrake::kBackstop, .margin = 2_MiB}));
  EXPECT_TRUE(settings.per_page_hook);
  EXPECT_EQ(settings.custom_btf_path, "/boot/vmlinux.btf");
  EXPECT_EQ(settings.sweep, (SweepSettings{.base_period = 50ms,
                                           .floor = 30us,
                                           .near_distance = 8_MiB,
                                           .rate_up = 20_GiB,
                                           .rate_down = Bytes{1'000'000'000},
                                           .kick_window = 5ms,
                                           .fast_tick_burst = 10,
                                           .fast_ticks_per_second = 20}));
  EXPECT_EQ(settings.realtime, (RealtimeSettings{.enabled = false, .priority = 99, .limit = 1s}));
  EXPECT_FALSE(settings.lock_memory);
  EXPECT_FALSE(settings.watchdog);
  EXPECT_EQ(settings.runtime_directory, "/tmp/run");
  EXPECT_EQ(settings.control_socket_path(), "/tmp/run/s");
  EXPECT_EQ(settings.notify_socket, "/tmp/run/n");
  EXPECT_EQ(settings.log.format, base::LogFormat::kJson);
  EXPECT_EQ(settings.log.level, base::LogLevel::kDebug);
  EXPECT_TRUE(settings.faults.drop_kernel_events);
}

TEST(Config, NotificationsAreNotServedUnlessASocketIsNamed) {
  EXPECT_EQ(parsed("").settings().notify_socket, "");
  EXPECT_EQ(parsed("notifySocket: \"\"").settings().notify_socket, "");
  EXPECT_EQ(parsed("notifySocket: /run/evictd/notify.sock").settings().notify_socket,
            "/run/evictd/notify.sock");
}

TEST(Config, SaysWhereEachValueCameFrom) {
  const Config config = parsed(
      "dryRun: true\nevictionSoft:\n  memory.available: 2Gi\n"
      "evictionSoftGracePeriod:\n  memory.available: 1m\n");
  EXPECT_EQ(to_string(config.origin("dryRun")), "evictd.yaml:1");
  EXPECT_EQ(to_string(config.origin("evictionSoft[memory.available]")), "evictd.yaml:3");
  EXPECT_EQ(to_string(config.origin("evictionHard[memory.available]")),
            "default of compatibility 1.32");
  EXPECT_EQ(to_string(config.origin("pollInterval")), "default");
  EXPECT_EQ(to_string(Origin{.kind = Origin::Kind::kFlag, .source = "--eviction-hard", .line = 0}),
            "flag --eviction-hard");
}

TEST(Config, TheCompatibilityCountsWhereverItStandsInTheFile) {
  EXPECT_FALSE(parse("evictionHard: {containerfs.available: 10%}\ncompatibility: '1.26'\n", "f")
                   .has_value());
  EXPECT_TRUE(parse("evictionHard: {containerfs.available: 10%}\ncompatibility: '1.32'\n", "f")
                  .has_value());
}

TEST(Config, PinsAreCheckedAgainstTheLadderWhenItIsKnown) {
  const Vocabulary ladder{
      .attach_rows = {{"memory-charge", {"fentry", "kprobe", "tp_btf"}}, {"oom", {"tracepoint"}}}};
  EXPECT_TRUE(parse("attachPins: {memory-charge: kprobe, oom: none}", "f", ladder).has_value());
  EXPECT_EQ(parse("attachPins: {memory-charge: kprob}", "f", ladder).error().message(),
            "f:1: attachPins[memory-charge]: kprob: unknown row, the nearest is kprobe; allowed: "
            "fentry, kprobe, tp_btf, none");
  EXPECT_EQ(parse("attachPins: {memory_charge: kprobe}", "f", ladder).error().message(),
            "f:1: attachPins[memory_charge]: kprobe: unknown purpose, the nearest is "
            "memory-charge; allowed: memory-charge, oom");
}

TEST(Config, AFileIsReadByItsPath) {
  const test::FakeTree directory;
  const std::filesystem::path path = directory.real("/evictd.yaml");
  directory.write("/evictd.yaml", "dryRun: true\n");
  const Result<Config> config = load_file(path);
  ASSERT_TRUE(config.has_value()) << config.error().message();
  EXPECT_TRUE((*config)->dry_run);
  EXPECT_EQ(to_string(config->origin("dryRun")), path.string() + ":1");
}

TEST(Config, AFileThatIsMissingOrNoFileIsRefused) {
  const test::FakeTree directory;
  const std::string path = directory.real("/evictd.yaml");
  const Result<Config> missing = load_file(path);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Errc::kNotFound);
  EXPECT_EQ(missing.error().message(), "open " + path + ": No such file or directory");
  EXPECT_EQ(load_file(directory.path()).error().message(),
            directory.path() + ": not a regular file; allowed: a file");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(load_file(path).error().message(), path + ": not a regular file; allowed: a file");
}

TEST(Config, AFileThatIsTooLongIsRefused) {
  const test::FakeTree directory;
  const std::filesystem::path path = directory.real("/evictd.yaml");
  directory.write("/evictd.yaml", std::string((std::size_t{256} << 10) + 1, '#'));
  const Result<Config> config = load_file(path);
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code, Errc::kExhausted);
  EXPECT_EQ(config.error().message(), path.string() + ": 262145 bytes; allowed: 262144 at most");
}

TEST(Config, TheExampleFileIsValidWithoutAWarning) {
  const Result<Config> config = load_file(EVICTD_DEPLOY "/evictd.yaml");
  ASSERT_TRUE(config.has_value()) << config.error().message();
  for (const Warning& warning : config->warnings()) {
    ADD_FAILURE() << warning.text;
  }
}

TEST(Config, OneSlashAtTheEndOfAPathIsLeftOut) {
  EXPECT_EQ(parsed("cgroupRoot: //\n")->cgroup_root, "/");
  EXPECT_EQ(parsed("cgroupRoot: /a/\n")->cgroup_root, "/a");
  EXPECT_FALSE(parse("cgroupRoot: /a//\n", "evictd.yaml").has_value());
}

}  // namespace
}  // namespace evictd::config
