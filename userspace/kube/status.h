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

/// Everything that evictd-kube's status is told from; borrowed for the call.
struct KubeStatusSources {
  std::string version;
  std::string node;
  const KubeSettings* settings = nullptr;
  const PodSource* source = nullptr;
  const PodDirectory* directory = nullptr;
  /// nullptr where evictd is not followed.
  const EvictdFollower* follower = nullptr;
  /// nullptr where no runtime is configured.
  const RuntimeLink* runtime = nullptr;
  /// nullptr where nothing is done at the API server.
  const ApiActions* actions = nullptr;
  /// nullptr where nothing is compared.
  const Observer* observer = nullptr;
  /// nullptr where the kubelet's events are not read.
  const EvictedEvents* events = nullptr;
  std::uint64_t credential_failures = 0;
  MonoTime started_at{};
};

/// What the status socket answers: one object, described in docs/kubernetes.md.
[[nodiscard]] nlohmann::ordered_json make_kube_status(const KubeStatusSources& sources,
                                                      MonoTime now);

}  // namespace evictd::kube
