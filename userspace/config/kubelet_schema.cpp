// SPDX-License-Identifier: Apache-2.0
#include "config/kubelet_schema.h"

#include <algorithm>
#include <array>

namespace evictd::config {
namespace {

using enum KubeletType;
using Field = KubeletField;

constexpr std::array kX509{Field{"clientCAFile", kText, {}}};
constexpr std::array kWebhookAuthentication{Field{"enabled", kBool, {}},
                                            Field{"cacheTTL", kDuration, {}}};
constexpr std::array kAnonymous{Field{"enabled", kBool, {}}};
constexpr std::array kAuthentication{Field{"x509", kObject, kX509},
                                     Field{"webhook", kObject, kWebhookAuthentication},
                                     Field{"anonymous", kObject, kAnonymous}};
constexpr std::array kWebhookAuthorization{Field{"cacheAuthorizedTTL", kDuration, {}},
                                           Field{"cacheUnauthorizedTTL", kDuration, {}}};
constexpr std::array kAuthorization{Field{"mode", kText, {}},
                                    Field{"webhook", kObject, kWebhookAuthorization}};
constexpr std::array kMemorySwap{Field{"swapBehavior", kText, {}}};
constexpr std::array kVerbosityOfFile{Field{"filePattern", kText, {}},
                                      Field{"verbosity", kUint32, {}}};
constexpr std::array kLogRouting{Field{"splitStream", kBool, {}},
                                 Field{"infoBufferSize", kQuantity, {}}};
constexpr std::array kLogFormatOptions{Field{"text", kObject, kLogRouting},
                                       Field{"json", kObject, kLogRouting}};
constexpr std::array kLogging{
    Field{"format", kText, {}}, Field{"flushFrequency", kDurationOrInteger, {}},
    Field{"verbosity", kUint32, {}}, Field{"vmodule", kObjectList, kVerbosityOfFile},
    Field{"options", kObject, kLogFormatOptions}};
constexpr std::array kShutdownByPriority{Field{"priority", kInt32, {}},
                                         Field{"shutdownGracePeriodSeconds", kInt64, {}}};
constexpr std::array kCrashLoop{Field{"maxContainerRestartPeriod", kDuration, {}}};
constexpr std::array kReservedMemory{Field{"numaNode", kInt32, {}},
                                     Field{"limits", kQuantityMap, {}}};
constexpr std::array kTaint{Field{"key", kText, {}}, Field{"value", kText, {}},
                            Field{"effect", kText, {}}, Field{"timeAdded", kTime, {}}};
constexpr std::array kTracing{Field{"endpoint", kText, {}},
                              Field{"samplingRatePerMillion", kInt32, {}}};
constexpr std::array kUserNamespaces{Field{"idsPerPod", kInt64, {}}};

// These came after 1.32: tlsCurvePreferences, draManagerReconcilePeriod,
// imagePullCredentialsVerificationPolicy, preloadedImagesVerificationAllowlist,
// mergeDefaultEvictionSettings, memoryReservationPolicy, userNamespaces and podHousekeepingPeriod.
constexpr std::array kFields{
    Field{"apiVersion", kText, {}},
    Field{"kind", kText, {}},
    Field{"enableServer", kBool, {}},
    Field{"staticPodPath", kText, {}},
    Field{"podLogsDir", kText, {}},
    Field{"syncFrequency", kDuration, {}},
    Field{"fileCheckFrequency", kDuration, {}},
    Field{"httpCheckFrequency", kDuration, {}},
    Field{"staticPodURL", kText, {}},
    Field{"staticPodURLHeader", kTextsMap, {}},
    Field{"address", kText, {}},
    Field{"port", kInt32, {}},
    Field{"readOnlyPort", kInt32, {}},
    Field{"tlsCertFile", kText, {}},
    Field{"tlsPrivateKeyFile", kText, {}},
    Field{"tlsCipherSuites", kTexts, {}},
    Field{"tlsCurvePreferences", kIntegers, {}},
    Field{"tlsMinVersion", kText, {}},
    Field{"rotateCertificates", kBool, {}},
    Field{"serverTLSBootstrap", kBool, {}},
    Field{"authentication", kObject, kAuthentication},
    Field{"authorization", kObject, kAuthorization},
    Field{"registryPullQPS", kInt32, {}},
    Field{"registryBurst", kInt32, {}},
    Field{"imagePullCredentialsVerificationPolicy", kText, {}},
    Field{"preloadedImagesVerificationAllowlist", kTexts, {}},
    Field{"eventRecordQPS", kInt32, {}},
    Field{"eventBurst", kInt32, {}},
    Field{"enableDebuggingHandlers", kBool, {}},
    Field{"enableContentionProfiling", kBool, {}},
    Field{"healthzPort", kInt32, {}},
    Field{"healthzBindAddress", kText, {}},
    Field{"oomScoreAdj", kInt32, {}},
    Field{"clusterDomain", kText, {}},
    Field{"clusterDNS", kTexts, {}},
    Field{"streamingConnectionIdleTimeout", kDuration, {}},
    Field{"nodeStatusUpdateFrequency", kDuration, {}},
    Field{"nodeStatusReportFrequency", kDuration, {}},
    Field{"nodeLeaseDurationSeconds", kInt32, {}},
    Field{"imageMinimumGCAge", kDuration, {}},
    Field{"imageMaximumGCAge", kDuration, {}},
    Field{"imageGCHighThresholdPercent", kInt32, {}},
    Field{"imageGCLowThresholdPercent", kInt32, {}},
    Field{"volumeStatsAggPeriod", kDuration, {}},
    Field{"kubeletCgroups", kText, {}},
    Field{"systemCgroups", kText, {}},
    Field{"cgroupRoot", kText, {}},
    Field{"cgroupsPerQOS", kBool, {}},
    Field{"cgroupDriver", kText, {}},
    Field{"cpuManagerPolicy", kText, {}},
    Field{"singleProcessOOMKill", kBool, {}},
    Field{"cpuManagerPolicyOptions", kTextMap, {}},
    Field{"cpuManagerReconcilePeriod", kDuration, {}},
    Field{"draManagerReconcilePeriod", kDuration, {}},
    Field{"memoryManagerPolicy", kText, {}},
    Field{"topologyManagerPolicy", kText, {}},
    Field{"topologyManagerScope", kText, {}},
    Field{"topologyManagerPolicyOptions", kTextMap, {}},
    Field{"qosReserved", kTextMap, {}},
    Field{"runtimeRequestTimeout", kDuration, {}},
    Field{"hairpinMode", kText, {}},
    Field{"maxPods", kInt32, {}},
    Field{"podCIDR", kText, {}},
    Field{"podPidsLimit", kInt64, {}},
    Field{"resolvConf", kText, {}},
    Field{"runOnce", kBool, {}},
    Field{"cpuCFSQuota", kBool, {}},
    Field{"cpuCFSQuotaPeriod", kDuration, {}},
    Field{"nodeStatusMaxImages", kInt32, {}},
    Field{"maxOpenFiles", kInt64, {}},
    Field{"contentType", kText, {}},
    Field{"kubeAPIQPS", kInt32, {}},
    Field{"kubeAPIBurst", kInt32, {}},
    Field{"serializeImagePulls", kBool, {}},
    Field{"maxParallelImagePulls", kInt32, {}},
    Field{"evictionHard", kTextMap, {}},
    Field{"evictionSoft", kTextMap, {}},
    Field{"evictionSoftGracePeriod", kTextMap, {}},
    Field{"evictionPressureTransitionPeriod", kDuration, {}},
    Field{"evictionMaxPodGracePeriod", kInt32, {}},
    Field{"evictionMinimumReclaim", kTextMap, {}},
    Field{"mergeDefaultEvictionSettings", kBool, {}},
    Field{"podsPerCore", kInt32, {}},
    Field{"enableControllerAttachDetach", kBool, {}},
    Field{"protectKernelDefaults", kBool, {}},
    Field{"makeIPTablesUtilChains", kBool, {}},
    Field{"iptablesMasqueradeBit", kInt32, {}},
    Field{"iptablesDropBit", kInt32, {}},
    Field{"featureGates", kBoolMap, {}},
    Field{"failSwapOn", kBool, {}},
    Field{"memorySwap", kObject, kMemorySwap},
    Field{"containerLogMaxSize", kText, {}},
    Field{"containerLogMaxFiles", kInt32, {}},
    Field{"containerLogMaxWorkers", kInt32, {}},
    Field{"containerLogMonitorInterval", kDuration, {}},
    Field{"configMapAndSecretChangeDetectionStrategy", kText, {}},
    Field{"systemReserved", kTextMap, {}},
    Field{"kubeReserved", kTextMap, {}},
    Field{"reservedSystemCPUs", kText, {}},
    Field{"showHiddenMetricsForVersion", kText, {}},
    Field{"systemReservedCgroup", kText, {}},
    Field{"kubeReservedCgroup", kText, {}},
    Field{"enforceNodeAllocatable", kTexts, {}},
    Field{"allowedUnsafeSysctls", kTexts, {}},
    Field{"volumePluginDir", kText, {}},
    Field{"providerID", kText, {}},
    Field{"kernelMemcgNotification", kBool, {}},
    Field{"logging", kObject, kLogging},
    Field{"enableSystemLogHandler", kBool, {}},
    Field{"enableSystemLogQuery", kBool, {}},
    Field{"shutdownGracePeriod", kDuration, {}},
    Field{"shutdownGracePeriodCriticalPods", kDuration, {}},
    Field{"shutdownGracePeriodByPodPriority", kObjectList, kShutdownByPriority},
    Field{"crashLoopBackOff", kObject, kCrashLoop},
    Field{"reservedMemory", kObjectList, kReservedMemory},
    Field{"enableProfilingHandler", kBool, {}},
    Field{"enableDebugFlagsHandler", kBool, {}},
    Field{"seccompDefault", kBool, {}},
    Field{"memoryThrottlingFactor", kNumber, {}},
    Field{"memoryReservationPolicy", kText, {}},
    Field{"registerWithTaints", kObjectList, kTaint},
    Field{"registerNode", kBool, {}},
    Field{"tracing", kObject, kTracing},
    Field{"localStorageCapacityIsolation", kBool, {}},
    Field{"containerRuntimeEndpoint", kText, {}},
    Field{"imageServiceEndpoint", kText, {}},
    Field{"failCgroupV1", kBool, {}},
    Field{"userNamespaces", kObject, kUserNamespaces},
    Field{"podHousekeepingPeriod", kDuration, {}},
};

constexpr std::array<std::string_view, 14> kTakenOver{"evictionHard",
                                                      "evictionSoft",
                                                      "evictionSoftGracePeriod",
                                                      "evictionMinimumReclaim",
                                                      "evictionPressureTransitionPeriod",
                                                      "evictionMaxPodGracePeriod",
                                                      "enforceNodeAllocatable",
                                                      "systemReserved",
                                                      "kubeReserved",
                                                      "cgroupsPerQOS",
                                                      "cgroupRoot",
                                                      "cgroupDriver",
                                                      "localStorageCapacityIsolation",
                                                      "podLogsDir"};

}  // namespace

std::span<const KubeletField> kubelet_fields() {
  return kFields;
}

bool is_taken_over(std::string_view name) {
  return std::find(kTakenOver.begin(), kTakenOver.end(), name) != kTakenOver.end();
}

}  // namespace evictd::config
