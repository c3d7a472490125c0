// SPDX-License-Identifier: Apache-2.0
// The kubelet's own file as it is.
#include <gtest/gtest.h>

#include <string>

#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using Texts = std::map<std::string, std::string>;

/// Every field, each with a value of its type.
constexpr const char* kEveryField = R"(
enableServer: true
staticPodPath: /etc/kubernetes/manifests
podLogsDir: /var/log/pods
syncFrequency: 1m0s
fileCheckFrequency: 20s
httpCheckFrequency: 0s
staticPodURL: ""
staticPodURLHeader: {X-A: [one, two]}
address: 0.0.0.0
port: 10250
readOnlyPort: 0
tlsCertFile: /a
tlsPrivateKeyFile: /b
tlsCipherSuites: [TLS_AES_128_GCM_SHA256]
tlsCurvePreferences: [23, 24]
tlsMinVersion: VersionTLS12
rotateCertificates: yes
serverTLSBootstrap: false
authentication:
  x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}
  webhook: {enabled: true, cacheTTL: 2m0s}
  anonymous: {enabled: false}
authorization: {mode: Webhook, webhook: {cacheAuthorizedTTL: 5m, cacheUnauthorizedTTL: 30s}}
registryPullQPS: 5
registryBurst: 10
imagePullCredentialsVerificationPolicy: NeverVerify
preloadedImagesVerificationAllowlist: [registry.io/a]
eventRecordQPS: 50
eventBurst: 100
enableDebuggingHandlers: true
enableContentionProfiling: false
healthzPort: 10248
healthzBindAddress: 127.0.0.1
oomScoreAdj: -999
clusterDomain: cluster.local
clusterDNS: [10.96.0.10]
streamingConnectionIdleTimeout: 4h0m0s
nodeStatusUpdateFrequency: 10s
nodeStatusReportFrequency: 5m
nodeLeaseDurationSeconds: 40
imageMinimumGCAge: 2m
imageMaximumGCAge: 0s
imageGCHighThresholdPercent: 85
imageGCLowThresholdPercent: 80
volumeStatsAggPeriod: 1m
kubeletCgroups: /kubelet
systemCgroups: /system
cgroupRoot: /
cgroupsPerQOS: true
cgroupDriver: systemd
cpuManagerPolicy: none
singleProcessOOMKill: true
cpuManagerPolicyOptions: {full-pcpus-only: "true"}
cpuManagerReconcilePeriod: 10s
draManagerReconcilePeriod: 60s
memoryManagerPolicy: None
topologyManagerPolicy: none
topologyManagerScope: container
topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}
qosReserved: {memory: 50%}
runtimeRequestTimeout: 2m
hairpinMode: promiscuous-bridge
maxPods: 110
podCIDR: 10.1.0.0/24
podPidsLimit: -1
resolvConf: /run/systemd/resolve/resolv.conf
runOnce: false
cpuCFSQuota: true
cpuCFSQuotaPeriod: 100ms
nodeStatusMaxImages: 50
maxOpenFiles: 1000000
contentType: application/vnd.kubernetes.protobuf
kubeAPIQPS: 50
kubeAPIBurst: 100
serializeImagePulls: true
maxParallelImagePulls: 2
evictionHard: {memory.available: 500Mi}
evictionSoft: {memory.available: 1Gi}
evictionSoftGracePeriod: {memory.available: 1m30s}
evictionPressureTransitionPeriod: 30s
evictionMaxPodGracePeriod: 60
evictionMinimumReclaim: {memory.available: 100Mi}
mergeDefaultEvictionSettings: false
podsPerCore: 0
enableControllerAttachDetach: true
protectKernelDefaults: false
makeIPTablesUtilChains: true
iptablesMasqueradeBit: 14
iptablesDropBit: 15
featureGates: {NodeSwap: true}
failSwapOn: no
memorySwap: {swapBehavior: LimitedSwap}
containerLogMaxSize: 10Mi
containerLogMaxFiles: 5
containerLogMaxWorkers: 1
containerLogMonitorInterval: 10s
configMapAndSecretChangeDetectionStrategy: Watch
systemReserved: {cpu: 500m, memory: 1Gi, pid: "1000", ephemeral-storage: 1Gi}
kubeReserved: {memory: 512Mi}
reservedSystemCPUs: 0-1
showHiddenMetricsForVersion: "1.31"
systemReservedCgroup: /system.slice
kubeReservedCgroup: /kube.slice
enforceNodeAllocatable: [pods, system-reserved]
allowedUnsafeSysctls: [net.core.somaxconn]
volumePluginDir: /usr/libexec/volume/exec/
providerID: x://1
kernelMemcgNotification: true
logging:
  format: text
  flushFrequency: 5000000000
  verbosity: 2
  vmodule: [{filePattern: eviction*, verbosity: 4}]
  options: {text: {splitStream: true, infoBufferSize: 64Ki}, json: {splitStream: false, infoBufferSize: 0}}
enableSystemLogHandler: true
enableSystemLogQuery: false
shutdownGracePeriod: 30s
shutdownGracePeriodCriticalPods: 10s
shutdownGracePeriodByPodPriority: [{priority: 10000, shutdownGracePeriodSeconds: 20}]
crashLoopBackOff: {maxContainerRestartPeriod: 60s}
reservedMemory: [{numaNode: 0, limits: {memory: 1Gi, hugepages-2Mi: 0}}]
enableProfilingHandler: true
enableDebugFlagsHandler: true
seccompDefault: false
memoryThrottlingFactor: 0.9
memoryReservationPolicy: None
registerWithTaints: [{key: a, value: b, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}]
registerNode: true
tracing: {endpoint: "localhost:4317", samplingRatePerMillion: 100}
localStorageCapacityIsolation: true
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
imageServiceEndpoint: unix:///run/containerd/containerd.sock
failCgroupV1: false
userNamespaces: {idsPerPod: 65536}
podHousekeepingPeriod: 2s
)";

TEST(KubeletConfig, EveryFieldOfTheSchemaIsAccepted) {
  const Config config = KubeletSources().file(kEveryField).config();
  EXPECT_EQ(config->eviction.hard, (Texts{{"memory.available", "500Mi"}}));
  EXPECT_EQ(config->eviction.soft, (Texts{{"memory.available", "1Gi"}}));
  EXPECT_EQ(config->eviction.minimum_reclaim, (Texts{{"memory.available", "100Mi"}}));
  EXPECT_EQ(config->eviction.pressure_transition_period, 30s);
  EXPECT_EQ(config->eviction.max_pod_grace_period, 60s);
  EXPECT_EQ(config->node_allocatable.kube_reserved, (Texts{{"memory", "512Mi"}}));
  EXPECT_EQ(config->node_allocatable.system_reserved.at("cpu"), "500m");
  EXPECT_EQ(config->cgroup_driver, CgroupDriver::kSystemd);
}

TEST(KubeletConfig, WhatMeansNothingHereIsListedWithItsPlace) {
  KubeletSources sources;
  sources.file("maxPods: 5\nport: 1\n");
  EXPECT_EQ(sources.without_directory(to_string(sources.config().ignored())),
            "maxPods (kubelet.yaml:3), port (kubelet.yaml:4)");
}

TEST(KubeletConfig, JsonIsAcceptedToo) {
  const std::string json =
      R"({"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
          "evictionHard": {"memory.available": "1Gi"}, "maxPods": 10})";
  EXPECT_EQ(KubeletSources().raw_file(json).config()->eviction.hard,
            (Texts{{"memory.available", "1Gi"}}));
}

/// A KubeletConfiguration in braces; the fields, which are to follow a comma, are on line 2.
std::string in_braces(std::string_view fields) {
  return R"({"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",)"
         "\n" +
         std::string(fields) + "}";
}

TEST(KubeletConfig, FileBeginningWithABraceIsJsonNotYaml) {
  const auto refused_at = [](int column, const std::string& shown) {
    return "kubelet.yaml:2:" + std::to_string(column) + ": not valid JSON: " + shown +
           "; allowed: JSON alone, as the file begins with {";
  };
  EXPECT_EQ(KubeletSources().raw_file(in_braces(R"("maxPods": 5)")).error(), "");
  EXPECT_EQ(KubeletSources().raw_file(in_braces(R"("maxPods": 5,)")).error(), refused_at(14, "}"));
  EXPECT_EQ(KubeletSources().raw_file(in_braces("maxPods: 5")).error(),
            refused_at(1, "maxPods: 5}"));
  EXPECT_EQ(KubeletSources().raw_file(in_braces(R"("failSwapOn": yes)")).error(),
            refused_at(15, "yes}"));
  EXPECT_EQ(KubeletSources().raw_file(in_braces(R"("clusterDomain": 'a')")).error(),
            refused_at(18, "'a'}"));
  EXPECT_EQ(KubeletSources().raw_file(in_braces("# five\n\"maxPods\": 5")).error(),
            refused_at(1, "# five"));
  EXPECT_EQ(KubeletSources().raw_file("\n  " + in_braces("maxPods: 5")).error(),
            "kubelet.yaml:3:1: not valid JSON: maxPods: 5}; allowed: JSON alone, as the file "
            "begins with {");
}

TEST(KubeletConfig, ADropInFileThatBeginsWithABraceIsJsonToo) {
  EXPECT_EQ(KubeletSources().raw_drop_in("1.conf", in_braces("maxPods: 5")).error(),
            "kubelet.d/1.conf:2:1: not valid JSON: maxPods: 5}; allowed: JSON alone, as the file "
            "begins with {");
}

TEST(KubeletConfig, BracesWithinYamlMayHoldWhatIsNoJson) {
  EXPECT_EQ(KubeletSources().file("evictionHard: {memory.available: 1Gi,}\n").error(), "");
}

TEST(KubeletConfig, ANumberWithALeadingZeroIsOctalInYamlAndAnErrorInJson) {
  EXPECT_EQ(KubeletSources()
                .file("evictionMaxPodGracePeriod: 010\n")
                .config()
                ->eviction.max_pod_grace_period,
            8s);
  const std::string json =
      R"({"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
          "evictionMaxPodGracePeriod": 010})";
  EXPECT_NE(
      KubeletSources().raw_file(json).error().find(
          "evictionMaxPodGracePeriod: 010: a leading zero, which the kubelet refuses in JSON"),
      std::string::npos);
}

TEST(KubeletConfig, WithoutEvictionHardTheDefaultsHold) {
  EXPECT_EQ(KubeletSources().file("maxPods: 1\n").config()->eviction.hard.size(), 5U);
  EXPECT_EQ(KubeletSources().file("evictionHard: null\n").config()->eviction.hard.size(), 5U);
  EXPECT_TRUE(KubeletSources().file("evictionHard: {}\n").config()->eviction.hard.empty());
}

TEST(KubeletConfig, ATransitionPeriodOfZeroMeansTheDefaultAsWithTheKubelet) {
  const Config config = KubeletSources().file("evictionPressureTransitionPeriod: 0s\n").config();
  EXPECT_EQ(config->eviction.pressure_transition_period, 5min);
  EXPECT_EQ(KubeletSources()
                .flags({"--eviction-pressure-transition-period=0s"})
                .config()
                ->eviction.pressure_transition_period,
            0s);
}

TEST(KubeletConfig, MissingDefaultsAreMergedOnRequest) {
  const Config config =
      KubeletSources()
          .file("mergeDefaultEvictionSettings: true\nevictionHard: {memory.available: 1Gi}\n")
          .config();
  EXPECT_EQ(config->eviction.hard.size(), 5U);
  EXPECT_EQ(config->eviction.hard.at("memory.available"), "1Gi");
  EXPECT_EQ(to_string(config.origin("evictionHard[nodefs.available]")),
            "default of compatibility 1.32");
}

TEST(KubeletConfig, AnUnknownFieldNamesTheNearest) {
  EXPECT_EQ(KubeletSources().file("evictionHrd: {}\n").error(),
            "kubelet.yaml:3: evictionHrd: a mapping: unknown field, the nearest is evictionHard; "
            "allowed: the fields of a KubeletConfiguration of kubelet.config.k8s.io/v1beta1");
  EXPECT_EQ(KubeletSources().file("authentication:\n  webHooks: {enabled: true}\n").error(),
            "kubelet.yaml:4: authentication.webHooks: a mapping: unknown field, the nearest is "
            "webhook; allowed: x509, webhook, anonymous");
  EXPECT_EQ(
      KubeletSources().file("reservedMemory:\n- numaNode: 0\n  limit: {memory: 1Gi}\n").error(),
      "kubelet.yaml:5: reservedMemory[0].limit: a mapping: unknown field, the nearest is "
      "limits; allowed: numaNode, limits");
  EXPECT_TRUE(KubeletSources()
                  .file("\"\": 1\n")
                  .error()
                  .starts_with("kubelet.yaml:3: \"\": 1: unknown field, the nearest is "));
  // A key of evictd alone is none of the kubelet.
  EXPECT_NE(KubeletSources().file("dryRun: true\n").error().find("unknown field"),
            std::string::npos);
}

TEST(KubeletConfig, AValueOfAnotherTypeIsAnError) {
  EXPECT_EQ(KubeletSources().file("maxPods: \"110\"\n").error(),
            "kubelet.yaml:3: maxPods: \"110\": not a whole number; allowed: a whole number from "
            "-2147483648 to 2147483647");
  EXPECT_EQ(KubeletSources().file("maxPods: 4294967296\n").error(),
            "kubelet.yaml:3: maxPods: 4294967296: out of range; allowed: a whole number from "
            "-2147483648 to 2147483647");
  for (const char* wrong : {"enableServer: 1",
                            "enableServer: \"true\"",
                            "port: 1.5",
                            "syncFrequency: 60",
                            "syncFrequency: soon",
                            "address: 5",
                            "address: yes",
                            "clusterDNS: 10.0.0.1",
                            "clusterDNS: [1]",
                            "evictionHard: [a]",
                            "evictionHard: {memory.available: 100}",
                            "featureGates: {A: 1}",
                            "memoryThrottlingFactor: high",
                            "memoryThrottlingFactor: .inf",
                            "authentication: true",
                            "registerWithTaints: {key: a}",
                            "registerWithTaints: [{key: a, timeAdded: yesterday}]",
                            "registerWithTaints: [{key: a, timeAdded: 2026-01-01}]",
                            "logging: {verbosity: -1}",
                            "staticPodURLHeader: {a: b}",
                            "evictionHard: text",
                            "podPidsLimit: 9223372036854775808",
                            "reservedMemory: [{numaNode: 0, limits: {memory: much}}]",
                            "tlsCurvePreferences: [x]"}) {
    EXPECT_NE(KubeletSources().file(std::string(wrong) + "\n").error(), "") << wrong;
  }
}

TEST(KubeletConfig, AThresholdIsJudgedInTheKubeletsWords) {
  EXPECT_EQ(
      KubeletSources().file("evictionHard: {memory.available: 101%}\n").error(),
      "kubelet.yaml:3: evictionHard[memory.available]: 101%: eviction percentage threshold "
      "memory.available must be <= 100%: 101%; allowed: a quantity above 0 such as \"100Mi\", or a "
      "percentage such as \"10%\"");
  EXPECT_NE(KubeletSources()
                .file("evictionHard: {memory.avail: 1Gi}\n")
                .error()
                .find("the nearest is memory.available"),
            std::string::npos);
}

TEST(KubeletConfig, OnlyAKubeletConfigurationOfV1beta1IsOne) {
  EXPECT_EQ(KubeletSources().raw_file("maxPods: 1\n").error(),
            "kubelet.yaml:1: kind: is not there; allowed: KubeletConfiguration");
  EXPECT_EQ(KubeletSources().raw_file("kind: KubeletConfiguration\n").error(),
            "kubelet.yaml:1: apiVersion: is not there; allowed: kubelet.config.k8s.io/v1beta1");
  EXPECT_NE(KubeletSources().raw_file("kind: Pod\napiVersion: v1\n").error(), "");
  EXPECT_NE(KubeletSources()
                .raw_file("kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1\n")
                .error(),
            "");
  EXPECT_NE(KubeletSources().raw_file("").error(), "");
  EXPECT_NE(KubeletSources().raw_file("[]\n").error(), "");
}

TEST(KubeletConfig, HostileTextIsOneErrorInOneLine) {
  std::string deep(5000, '[');
  std::string bomb = "a: &a [x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + std::string(1, c) + " [*" + std::string(1, char(c - 1)) +
            ", *" + std::string(1, char(c - 1)) + "]\n";
  }
  for (const std::string& text :
       {kubelet("clusterDNS: " + deep + "\n"), bomb, kubelet("address: \xff\xfe\n"),
        kubelet("port: 1\nport: 2\n"), kubelet(std::string(300 * 1024, '#')),
        kubelet("address: \"unfinished\n"), kubelet("evictionHard: {memory.available: 1Gi"),
        kubelet("port: 99999999999999999999999999\n"), kubelet("address: *nothing\n"),
        std::string("\0\0\0", 3), kubelet("<<: {port: 1}\n"), kubelet("---\nport: 1\n"),
        kubelet("address: !!binary aGk=\n")}) {
    const std::string error = KubeletSources().raw_file(text).error();
    EXPECT_TRUE(error.starts_with("kubelet.yaml")) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(KubeletConfig, CompressibleLevelsAreUnknownToTheKubeletOf126) {
  for (const char* const level : {"system-reserved-compressible", "kube-reserved-compressible"}) {
    KubeletSources older;
    older.own("compatibility: '1.26'\n");
    older.file(std::string("enforceNodeAllocatable: [pods, ") + level + "]\n");
    EXPECT_EQ(older.error(),
              std::string("kubelet.yaml:3: enforceNodeAllocatable: \"") + level +
                  "\": unknown to the kubelet of compatibility 1.26; allowed: a list "
                  "of pods, system-reserved, kube-reserved, none; none only alone");
  }
}

TEST(KubeletConfig, PodsWithoutCgroupsCannotBeEnforced) {
  EXPECT_EQ(KubeletSources().file("cgroupsPerQOS: off\n").error(),
            "kubelet.yaml:3: cgroupsPerQOS: false: enforceNodeAllocatable has \"pods\"; allowed: "
            "true, or an enforceNodeAllocatable that is empty or none");
  EXPECT_EQ(KubeletSources().file("cgroupsPerQOS: false\nenforceNodeAllocatable: []\n").error(),
            "");
}

TEST(KubeletConfig, AMissingFileIsAnError) {
  Sources sources;
  sources.kubelet_config_file = "/nonexistent/kubelet.yaml";
  EXPECT_EQ(load(sources).error().message(),
            "open /nonexistent/kubelet.yaml: No such file or directory");
}

}  // namespace
}  // namespace evictd::config::test
