// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/document_format.h"
#include "evictd/result.h"
#include "eviction/pod.h"

namespace evictd::cluster {

/// What a directory of manifests is.
enum class ManifestKind {
  kPods,       ///< A copy of what the API server or the kubelet has: every pod has a uid.
  kStatic,     ///< The kubelet's staticPodPath: every pod in it is static, and most lack a uid.
  kSubmitted,  ///< Pods as somebody would submit them: most lack a uid, and none has a cgroup yet.
};

/// One v1.Pod that a file gave.
struct Manifest {
  eviction::Pod pod;
  /// What its cgroup is named by, in this order: annotation kubernetes.io/config.mirror (the cgroup
  /// of a mirror pod is its static pod's), metadata.uid, annotation kubernetes.io/config.hash.
  /// Empty only in a static directory, where the kubelet makes a uid from a hash that only it can
  /// make and the pod's cgroup is known as static by its uid's form, and for submitted pods.
  std::string cgroup_uid;
  ManifestKind kind = ManifestKind::kPods;
  /// Where it came from, "FILE:LINE".
  std::string origin;
};

/// Reads the pods of one file: v1.Pod, v1.PodList or v1.List documents. What they leave out is
/// filled in as by apply_pod_defaults().
/// Errors: those of parse_documents; kInvalid, "FILE:LINE: what", for another kind or apiVersion,
/// a pod without any uid in a directory of kPods or without a name among kSubmitted, or a field
/// that is not what the API has.
[[nodiscard]] Result<std::vector<Manifest>> parse_manifests(std::string_view text,
                                                            std::string_view file,
                                                            DocumentFormat format,
                                                            ManifestKind kind);

}  // namespace evictd::cluster
