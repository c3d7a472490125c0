// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/fall_cause.h"

#include "eviction/forecast.h"

namespace evictd::daemon {

std::vector<GrowingPod> pods_of(const PassCopy& pass) {
  std::vector<GrowingPod> pods;
  pods.reserve(pass.pods.size());
  for (const PassCopy::PodCopy& pod : pass.pods) {
    pods.push_back({.pod = pod.pod, .bytes_per_second = pod.usage.growth_per_second()});
  }
  return pods;
}

std::optional<exporting::RecordedCause> because_of(std::span<const GrowingPod> pods,
                                                   eviction::Signal signal, std::int64_t rate) {
  if (!eviction::is_memory(signal)) {
    return std::nullopt;
  }
  const eviction::Scope scope = eviction::scope_of(signal, eviction::Scope::kNode);
  std::vector<std::int64_t> growth;
  growth.reserve(pods.size());
  for (const GrowingPod& one : pods) {
    const bool counts = eviction::frees_in(scope, one.pod->facts.below_pod_root);
    growth.push_back(counts ? one.bytes_per_second : 0);
  }
  const std::optional<std::size_t> cause = eviction::cause_of_fall(growth, rate);
  if (!cause) {
    return std::nullopt;
  }
  const HotPod& pod = *pods[*cause].pod;
  return exporting::RecordedCause{
      .ns = pod.ns, .name = pod.name, .uid = pod.uid, .rate = growth[*cause]};
}

}  // namespace evictd::daemon
