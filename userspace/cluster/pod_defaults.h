// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eviction/pod.h"

namespace evictd::cluster {

/// Fills in fields that a manifest leaves out, as Kubernetes does before any decision
/// (SetDefaults_Pod and SetDefaults_PodSpec). The API server does so for every v1.Pod, the kubelet
/// for the pods of its own sources. A container's limit, regular or init, becomes its request for a
/// resource without a request; zero is a request. terminationGracePeriodSeconds becomes 30, and the
/// namespace "default". Existing fields stay, so a dump of the API's object is unchanged. Pure. The
/// priority stays empty: only the API server knows the priority of a class.
void apply_pod_defaults(eviction::Pod& pod);

}  // namespace evictd::cluster
