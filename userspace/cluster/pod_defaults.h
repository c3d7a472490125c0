// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eviction/pod.h"

namespace evictd::cluster {

/// Fills in what a manifest leaves out and what the API server writes into every v1.Pod, and the
/// kubelet into those of its own sources, before anything judges it (SetDefaults_Pod and
/// SetDefaults_PodSpec of Kubernetes): each limit of a container, regular or init, is its request
/// too where it has no request for that resource (one of zero is a request);
/// terminationGracePeriodSeconds is 30; the namespace is "default". What is there stays, so a dump
/// of the API's object comes out as it went in. Pure. A priority is not filled in: which one a
/// class has only the API server knows.
void apply_pod_defaults(eviction::Pod& pod);

}  // namespace evictd::cluster
