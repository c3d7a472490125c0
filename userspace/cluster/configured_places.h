// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/cgroup_tree.h"
#include "cluster/pod_cgroup.h"
#include "cluster/pod_place.h"
#include "config/settings.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// Where pods are, as the configuration says.
[[nodiscard]] PlaceOptions place_options(const config::Settings& settings);

/// The rules for cgroups outside Kubernetes that the configuration gives.
[[nodiscard]] std::vector<ExternalPodRule> external_rules(const config::Settings& settings);

/// kNotFound, naming each path that was tried: for a `tree` of `settings` without a pod root.
[[nodiscard]] Error no_pod_root(const CgroupTree& tree, const config::Settings& settings);

}  // namespace evictd::cluster
