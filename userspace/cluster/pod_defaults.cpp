// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_defaults.h"

namespace evictd::cluster {
namespace {

constexpr std::int64_t kDefaultGraceSeconds = 30;
constexpr const char* kDefaultNamespace = "default";

void request_what_is_limited(std::vector<eviction::Container>& containers) {
  for (eviction::Container& container : containers) {
    // Inserts only missing resources.
    container.requests.insert(container.limits.begin(), container.limits.end());
  }
}

}  // namespace

void apply_pod_defaults(eviction::Pod& pod) {
  request_what_is_limited(pod.containers);
  request_what_is_limited(pod.init_containers);
  if (!pod.termination_grace_seconds) {
    pod.termination_grace_seconds = kDefaultGraceSeconds;
  }
  if (pod.ns.empty()) {
    pod.ns = kDefaultNamespace;
  }
}

}  // namespace evictd::cluster
