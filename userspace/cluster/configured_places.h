// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/cgroup_tree.h"
#include "cluster/pod_cgroup.h"
#include "cluster/pod_place.h"
#include "config/settings.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// Where pods are, according to the configuration.
[[nodiscard]] PlaceOptions place_options(const config::Settings& settings);

/// The configured rules for cgroups outside Kubernetes.
[[nodiscard]] std::vector<ExternalPodRule> external_rules(const config::Settings& settings);

/// The error kNotFound, naming each path tried, for a `tree` of `settings` without a pod root.
[[nodiscard]] Error no_pod_root(const CgroupTree& tree, const config::Settings& settings);

}  // namespace evictd::cluster
