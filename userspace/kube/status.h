// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evictd/time.h"
#include "kube/actions/api_actions.h"
#include "kube/evictd_follower.h"
#include "kube/kube_config.h"
#include "kube/observe/evicted_events.h"
#include "kube/observe/observer.h"
#include "kube/pod_directory.h"
#include "kube/pod_source.h"
#include "kube/runtime_link.h"

namespace evictd::kube {

/// Sources of evictd-kube's status; borrowed for the call.
struct KubeStatusSources {
  std::string version;
  std::string node;
  const KubeSettings* settings = nullptr;
  const PodSource* source = nullptr;
  const PodDirectory* directory = nullptr;
  /// nullptr if evictd is not followed.
  const EvictdFollower* follower = nullptr;
  /// nullptr if no runtime is configured.
  const RuntimeLink* runtime = nullptr;
  /// nullptr if evictd-kube does not act at the API server.
  const ApiActions* actions = nullptr;
  /// nullptr if nothing is compared.
  const Observer* observer = nullptr;
  /// nullptr if the kubelet's events are not read.
  const EvictedEvents* events = nullptr;
  std::uint64_t credential_failures = 0;
  MonoTime started_at{};
};

/// The status socket's answer: one object, described in docs/kubernetes.md.
[[nodiscard]] nlohmann::ordered_json make_kube_status(const KubeStatusSources& sources,
                                                      MonoTime now);

}  // namespace evictd::kube
