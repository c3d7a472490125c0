// SPDX-License-Identifier: Apache-2.0
#include "config/node_warnings.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/reservation.h"
#include "core/go_duration.h"
#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

using Lines = std::vector<std::string>;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

NodeFacts node() {
  NodeFacts facts;
  facts.memory_bytes = 16 * kGiB;
  facts.ephemeral_storage_bytes = 100 * kGiB;
  return facts;
}

Lines warnings_of(const Lines& flags, const NodeFacts& facts = node()) {
  Lines texts;
  for (const Warning& warning : find_node_warnings(KubeletSources().flags(flags).config(), facts)) {
    texts.push_back(warning.text);
  }
  return texts;
}

TEST(NodeWarning, TheDefaultsHaveNone) {
  EXPECT_EQ(warnings_of({}), Lines{});
}

TEST(NodeWarning, AConfiguredFilesystemThatIsNotThereIsWatchedElsewhere) {
  NodeFacts facts = node();
  facts.missing_paths = {"/nowhere", "/elsewhere"};
  Lines texts;
  const Config config = parse("nodefsPath: /nowhere\n", "evictd.yaml").value();
  for (const Warning& warning : find_node_warnings(config, facts)) {
    texts.push_back(warning.text);
  }
  EXPECT_EQ(texts, (Lines{"evictd.yaml:1: nodefsPath: \"/nowhere\" does not exist: evictd watches "
                          "the filesystem that would hold it"}));
}

TEST(NodeWarning, ADirectoryOfManifestsThatIsNotThereIsWaitedFor) {
  const std::string waits =
      "evictd waits for it; until then evictd knows no pod from it, and a pod that another "
      "directory describes lacks the protection that only this one states";
  NodeFacts facts = node();
  facts.missing_paths = {"/pods", "/static"};
  const Config config =
      parse("manifestDirectories: [/pods, /there]\nstaticManifestDirectories: [/static]\n",
            "evictd.yaml")
          .value();
  Lines texts;
  for (const Warning& warning : find_node_warnings(config, facts)) {
    texts.push_back(warning.text);
  }
  EXPECT_EQ(texts, (Lines{"evictd.yaml:1: manifestDirectories: \"/pods\" does not exist: " + waits,
                          "evictd.yaml:2: staticManifestDirectories: \"/static\" does not exist: " +
                              waits}));
}

TEST(NodeWarning, ACgroupOfAllPodsThatIsNotThereIsWaitedFor) {
  NodeFacts facts = node();
  facts.missing_pod_root = "no pod root";
  EXPECT_EQ(warnings_of({}, facts), Lines{"default: cgroupRoot: no pod root: evictd waits for it"});
}

TEST(NodeWarning, WithoutAMemoryControllerEvictdEnds) {
  NodeFacts facts = node();
  facts.missing_controller = "no memory controller";
  EXPECT_EQ(warnings_of({}, facts),
            Lines{"default: cgroupRoot: no memory controller: evictd exits at start"});
}

TEST(NodeWarning, WithoutMemoryHighNoGraceIsBridged) {
  NodeFacts facts = node();
  facts.missing_memory_high = "no memory.high";
  const auto texts_for = [&facts](const char* text) {
    Lines texts;
    const Config config = parse(text, "evictd.yaml").value();
    for (const Warning& warning : find_node_warnings(config, facts)) {
      texts.push_back(warning.text);
    }
    return texts;
  };
  EXPECT_EQ(texts_for("graceBridge: memoryHigh\n"),
            Lines{"evictd.yaml:1: graceBridge: no memory.high: no grace period is bridged"});
  EXPECT_EQ(texts_for("graceBridge: off\n"), Lines{}) << "nobody needs one";
}

TEST(NodeWarning, AFileToWriteWhereSomethingElseIsIsNotWrittenTo) {
  NodeFacts facts = node();
  facts.irregular_files = {"/run/evictd/state.new", "/elsewhere"};
  EXPECT_EQ(warnings_of({}, facts), (Lines{"default: stateFile: \"/run/evictd/state.new\" exists "
                                           "but is not a regular file: evictd does not write to "
                                           "it"}));
}

TEST(NodeWarning, AThresholdThatIsNotBelowTheCapacityIsMetForEver) {
  NodeFacts facts = node();
  facts.max_pids = 1000;
  EXPECT_EQ(
      warnings_of({"--eviction-hard=memory.available<1Ti,pid.available<1000,"
                   "nodefs.available<101Gi,imagefs.available<1Ei,allocatableMemory.available<17Gi"},
                  facts),
      (Lines{"flag --eviction-hard: evictionHard[allocatableMemory.available]: 17Gi is not below "
             "the capacity 16Gi: it is always met, and evicts pod after pod",
             "flag --eviction-hard: evictionHard[memory.available]: 1Ti is not below the capacity "
             "16Gi: it is always met, and evicts pod after pod",
             "flag --eviction-hard: evictionHard[nodefs.available]: 101Gi is not below the "
             "capacity 100Gi: it is always met, and evicts pod after pod",
             "flag --eviction-hard: evictionHard[pid.available]: 1k is not below the capacity 1k: "
             "it is always met, and evicts pod after pod"}));
  // "100%" alone would switch the threshold off.
  EXPECT_EQ(warnings_of({"--eviction-soft=memory.available<100.0%",
                         "--eviction-soft-grace-period=memory.available=1m"}),
            (Lines{"flag --eviction-soft: evictionSoft[memory.available]: 100% is not below the "
                   "capacity 16Gi: it is always met, and evicts pod after pod"}));
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<15Gi,pid.available<999"}, facts),
            Lines{});
}

TEST(NodeWarning, SwapMayCountAsMemoryToo) {
  KubeletSources sources;
  sources.own("swapAware: true\nevictionHard: {memory.available: 17Gi}\n");
  EXPECT_TRUE(find_node_warnings(sources.config(), node()).empty());
}

TEST(NodeWarning, AShareThatIsNoNumberIsNoAmount) {
  NodeFacts facts = node();
  facts.pod_rate_bytes_per_second = kGiB;
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<NaN%", "--system-reserved=memory=1Gi",
                         "--eviction-minimum-reclaim=memory.available=1Gi"},
                        facts),
            Lines{});
  EXPECT_EQ(
      warnings_of({"--eviction-hard=memory.available<NaN%", "--eviction-soft=memory.available<2Gi",
                   "--eviction-soft-grace-period=memory.available=90s"},
                  facts),
      (Lines{"flag --eviction-soft-grace-period: evictionSoftGracePeriod[memory.available]: "
             "1m30s is longer than the 2s that pods growing by 1Gi a second leave until "
             "there is no memory"}));
}

TEST(NodeWarning, AMemoryThresholdBelowWhatIsReserved) {
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<100Mi", "--system-reserved=memory=512Mi",
                         "--kube-reserved=memory=512Mi"}),
            (Lines{"flag --eviction-hard: evictionHard[memory.available]: 100Mi is below the 1Gi "
                   "that systemReserved and kubeReserved hold back: pods meet the limit of their "
                   "own cgroup, and its OOM killer, first; only its copy "
                   "allocatableMemory.available can act before"}));
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<5%", "--system-reserved=memory=1Gi",
                         "--experimental-allocatable-ignore-eviction"}),
            (Lines{"flag --eviction-hard: evictionHard[memory.available]: 5% is below the 1Gi that "
                   "systemReserved and kubeReserved hold back: pods meet the limit of their own "
                   "cgroup, and its OOM killer, first"}));
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<1Gi", "--system-reserved=memory=1Gi"}),
            Lines{});
  // Without enforcement the pods' cgroup has no limit.
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<100Mi", "--system-reserved=memory=1Gi",
                         "--enforce-node-allocatable=none"}),
            Lines{});
}

TEST(NodeWarning, ASoftAmountNotAboveAHardShare) {
  const Lines flags = {"--eviction-hard=memory.available<10%",
                       "--eviction-soft=memory.available<1Gi",
                       "--eviction-soft-grace-period=memory.available=1m"};
  EXPECT_EQ(warnings_of(flags),
            (Lines{"flag --eviction-soft: evictionSoft[memory.available]: 1Gi is not above the "
                   "hard threshold 10% on this node: the hard one always acts first"}));
  NodeFacts small = node();
  small.memory_bytes = 4 * kGiB;
  EXPECT_EQ(warnings_of(flags, small), Lines{});
  EXPECT_EQ(warnings_of(flags, {}), Lines{});
}

TEST(NodeWarning, AMinimumReclaimThatTheCapacityDoesNotAllow) {
  EXPECT_EQ(warnings_of({"--eviction-minimum-reclaim=memory.available=17Gi"}),
            (Lines{"flag --eviction-minimum-reclaim: evictionMinimumReclaim[memory.available]: "
                   "17Gi is more than the capacity 16Gi: pressure would never end"}));
  EXPECT_EQ(warnings_of({"--eviction-minimum-reclaim=nodefs.available=95%"}),
            (Lines{"flag --eviction-minimum-reclaim: evictionMinimumReclaim[nodefs.available]: 95% "
                   "above the threshold 10% is more than the capacity 100Gi: pressure would "
                   "never end"}));
  EXPECT_EQ(warnings_of({"--eviction-minimum-reclaim=memory.available=200%"}, {}),
            (Lines{"flag --eviction-minimum-reclaim: evictionMinimumReclaim[memory.available]: "
                   "200% is more than there can be"}));
  EXPECT_EQ(warnings_of({"--eviction-minimum-reclaim=memory.available=2Gi"}), Lines{});
}

TEST(NodeWarning, PidOrImagefsMinimumReclaimExceedsCapacity) {
  NodeFacts facts = node();
  facts.max_pids = 1000;
  facts.imagefs_bytes = 10 * kGiB;
  facts.imagefs_inodes = 500;
  const Lines flags = {
      "--eviction-hard=pid.available<100,imagefs.available<15%,imagefs.inodesFree<5%",
      "--eviction-minimum-reclaim=pid.available=950,imagefs.available=11Gi,imagefs.inodesFree=480"};
  EXPECT_EQ(warnings_of(flags, facts),
            (Lines{"flag --eviction-minimum-reclaim: evictionMinimumReclaim[imagefs.available]: "
                   "11Gi is more than the capacity 10Gi: pressure would never end",
                   "flag --eviction-minimum-reclaim: evictionMinimumReclaim[imagefs.inodesFree]: "
                   "480 above the threshold 5% is more than the capacity 500: pressure would never "
                   "end",
                   "flag --eviction-minimum-reclaim: evictionMinimumReclaim[pid.available]: 950 "
                   "above the threshold 100 is more than the capacity 1k: pressure would never "
                   "end"}));
  EXPECT_EQ(warnings_of(flags), Lines{});
}

TEST(NodeWarning, AMinimumReclaimOfThePodsMemoryAboveTheWholeNodes) {
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<1Gi,allocatableMemory.available<1Gi",
                         "--eviction-minimum-reclaim=allocatableMemory.available=17Gi"}),
            (Lines{"flag --eviction-minimum-reclaim: "
                   "evictionMinimumReclaim[allocatableMemory.available]: 17Gi is more than the "
                   "capacity 16Gi: pressure would never end"}));
  // The copy of memory.available has the minimum reclaim of memory.available.
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<1Gi,allocatableMemory.available<1Gi",
                         "--eviction-minimum-reclaim=memory.available=17Gi,"
                         "allocatableMemory.available=1Mi"}),
            (Lines{"flag --eviction-minimum-reclaim: evictionMinimumReclaim[memory.available]: "
                   "17Gi is more than the capacity 16Gi: pressure would never end"}));
}

TEST(NodeWarning, AThresholdThatIsNotBelowWhatPodsMayHave) {
  const std::string reserved = "--system-reserved=memory=15872Mi";
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<15500Mi", "--kube-reserved=memory=1Gi"}),
            (Lines{"flag --eviction-hard: evictionHard[memory.available]: 15500Mi is not below the "
                   "15Gi that systemReserved and kubeReserved leave to pods: its copy "
                   "allocatableMemory.available is always met, and evicts pod after pod"}));
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<15500Mi", "--kube-reserved=memory=1Gi",
                         "--experimental-allocatable-ignore-eviction"}),
            Lines{});
  EXPECT_EQ(warnings_of({"--eviction-hard=memory.available<15500Mi", "--kube-reserved=memory=1Gi",
                         "--enforce-node-allocatable=none"}),
            Lines{});
  EXPECT_EQ(warnings_of({"--eviction-hard=allocatableMemory.available<512Mi", reserved}),
            (Lines{"flag --eviction-hard: evictionHard[allocatableMemory.available]: 512Mi is not "
                   "below the capacity 512Mi: it is always met, and evicts pod after pod"}));
  EXPECT_EQ(warnings_of({"--eviction-hard=allocatableMemory.available<511Mi", reserved}), Lines{});
  EXPECT_EQ(warnings_of({"--eviction-hard=allocatableMemory.available<512Mi", reserved,
                         "--enforce-node-allocatable=none"}),
            Lines{});
}

TEST(NodeWarning, AMinimumReclaimThatTheCopyCannotReach) {
  const Lines flags = {"--eviction-hard=memory.available<9Gi", "--system-reserved=memory=4Gi"};
  const auto with = [&](const std::string& reclaim) {
    Lines all = flags;
    all.push_back("--eviction-minimum-reclaim=memory.available=" + reclaim);
    return warnings_of(all);
  };
  EXPECT_EQ(with("3Gi"), Lines{});
  EXPECT_EQ(with("4Gi"),
            (Lines{"flag --eviction-minimum-reclaim: evictionMinimumReclaim[memory.available]: 4Gi "
                   "above the threshold 9Gi is more than the 12Gi that systemReserved and "
                   "kubeReserved leave to pods: the pressure of its copy "
                   "allocatableMemory.available would never end"}));
  // Of what the node itself does not allow nothing is said twice.
  EXPECT_EQ(with("8Gi").size(), 1U);
}

TEST(NodeWarning, ASoftAmountOfThePodsMemoryNotAboveTheHardShare) {
  const Lines flags = {"--eviction-hard=memory.available<50%",
                       "--eviction-soft=allocatableMemory.available<6Gi",
                       "--eviction-soft-grace-period=allocatableMemory.available=1m"};
  EXPECT_EQ(warnings_of(flags),
            (Lines{"flag --eviction-soft: evictionSoft[allocatableMemory.available]: 6Gi is not "
                   "above the hard threshold 50% on this node: the hard one always acts first"}));
  Lines reserved = flags;
  // Half of what is left to pods is less than half of the node.
  reserved.emplace_back("--system-reserved=memory=6Gi");
  EXPECT_EQ(warnings_of(reserved), Lines{});
}

TEST(NodeWarning, AGraceOfThePodsMemoryLongerThanTheirRateLeaves) {
  NodeFacts facts = node();
  facts.pod_rate_bytes_per_second = kGiB / 10;
  const Lines soft = {"--eviction-soft=allocatableMemory.available<2Gi",
                      "--eviction-soft-grace-period=allocatableMemory.available=90s"};
  Lines copied = soft;
  copied.emplace_back("--eviction-hard=memory.available<1Gi");
  EXPECT_EQ(warnings_of(copied, facts),
            (Lines{"flag --eviction-soft-grace-period: "
                   "evictionSoftGracePeriod[allocatableMemory.available]: 1m30s is longer than "
                   "the 10s that pods growing by 107374182 a second leave until the hard "
                   "threshold 1Gi"}));
  Lines alone = soft;
  alone.emplace_back("--eviction-hard=");
  EXPECT_EQ(warnings_of(alone, facts),
            (Lines{"flag --eviction-soft-grace-period: "
                   "evictionSoftGracePeriod[allocatableMemory.available]: 1m30s is longer than "
                   "the 20s that pods growing by 107374182 a second leave until they have all "
                   "that they may have"}));
}

TEST(NodeWarning, AGraceLongerThanTheRateOfThePodsLeaves) {
  const Lines flags = {
      "--eviction-hard=memory.available<1Gi", "--eviction-soft=memory.available<2Gi",
      "--eviction-soft-grace-period=memory.available=90s", "--eviction-max-pod-grace-period=30"};
  NodeFacts facts = node();
  facts.pod_rate_bytes_per_second = kGiB / 10;
  EXPECT_EQ(warnings_of(flags, facts),
            (Lines{"flag --eviction-soft-grace-period: evictionSoftGracePeriod[memory.available]: "
                   "1m30s and 30s for a pod to end is longer than the 10s that pods growing by "
                   "107374182 a second leave until the hard threshold 1Gi"}));
  facts.pod_rate_bytes_per_second = kGiB / 200;
  EXPECT_EQ(warnings_of(flags, facts), Lines{});
}

TEST(NodeWarning, WritesTheTimeThatIsLeftAsADurationOfTheConfiguration) {
  const Lines flags = {"--eviction-hard=memory.available<1Gi",
                       "--eviction-soft=memory.available<2Gi",
                       "--eviction-soft-grace-period=memory.available=30h"};
  NodeFacts facts = node();
  for (const auto& [rate, left] : {std::pair{kGiB * 3, "333ms"}, std::pair{kGiB * 4 / 7, "1s750ms"},
                                   std::pair{kGiB / 90, "1m30s"}, std::pair{kGiB / 36000, "10h"}}) {
    facts.pod_rate_bytes_per_second = rate;
    const Lines warnings = warnings_of(flags, facts);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings.front().find("longer than the " + std::string(left) + " that"),
              std::string::npos)
        << warnings.front();
    EXPECT_TRUE(core::parse_go_duration(left));
  }
}

TEST(Reservation, AmountsAndSharesOfTheCapacity) {
  EXPECT_EQ(to_yaml_comment(hard_eviction_reservation(
                KubeletSources()
                    .flags({"--eviction-hard=memory.available<5%,nodefs.available<10%,"
                            "imagefs.available<15%"})
                    .config(),
                node())),
            "# reserved by the hard thresholds:\n"
            "#   memory: 858993472 (5%)\n"
            "#   ephemeral-storage: 10737418400 (10%)\n");
}

TEST(Reservation, SoftThresholdsAndIgnoredOnesReserveNothing) {
  EXPECT_TRUE(hard_eviction_reservation(
                  KubeletSources()
                      .flags({"--eviction-hard=", "--eviction-soft=memory.available<1Gi",
                              "--eviction-soft-grace-period=memory.available=0s"})
                      .config(),
                  node())
                  .empty());
  EXPECT_EQ(
      to_yaml_comment(hard_eviction_reservation(
          KubeletSources().flags({"--experimental-allocatable-ignore-eviction"}).config(), node())),
      "# reserved by the hard thresholds: nothing\n");
}

TEST(Reservation, AShareThatIsNoNumberReservesNothing) {
  const auto reserved = hard_eviction_reservation(
      KubeletSources().flags({"--eviction-hard=memory.available<NaN%"}).config(), node());
  ASSERT_EQ(reserved.size(), 1U);
  ASSERT_TRUE(reserved[0].amount.has_value());
  EXPECT_EQ(reserved[0].amount->to_string(), "0");
}

TEST(Reservation, AShareOfAnUnknownCapacityIsNoAmount) {
  EXPECT_EQ(to_yaml_comment(hard_eviction_reservation(KubeletSources().flags({}).config(), {})),
            "# reserved by the hard thresholds:\n"
            "#   memory: 100Mi (100Mi)\n"
            "#   ephemeral-storage: a share of an unknown capacity (10%)\n");
}

}  // namespace
}  // namespace evictd::config::test
