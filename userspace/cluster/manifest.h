// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/document_format.h"
#include "evictd/result.h"
#include "eviction/pod.h"

namespace evictd::cluster {

/// The kind of a directory of manifests.
enum class ManifestKind {
  kPods,       ///< A copy of the API server's or the kubelet's pods: every pod has a uid.
  kStatic,     ///< The kubelet's staticPodPath: every pod in it is static, and most lack a uid.
  kSubmitted,  ///< Pods before their submission: most lack a uid, and none has a cgroup yet.
};

/// One v1.Pod from a file.
struct Manifest {
  eviction::Pod pod;
  /// The uid in the name of the pod's cgroup, from the first of these: annotation
  /// kubernetes.io/config.mirror (the cgroup of a mirror pod is its static pod's), metadata.uid,
  /// annotation kubernetes.io/config.hash. Empty only for submitted pods and in a static directory.
  /// There the kubelet derives the uid from a hash that only it can compute. The uid's form shows
  /// that the cgroup is a static pod's.
  std::string cgroup_uid;
  ManifestKind kind = ManifestKind::kPods;
  /// "FILE:LINE" of the manifest.
  std::string origin;
};

/// Reads the pods of one file: v1.Pod, v1.PodList or v1.List documents. Fills in defaults as
/// apply_pod_defaults() does. Errors: those of parse_documents. kInvalid, "FILE:LINE: what", for
/// another kind or apiVersion, for a field that does not match the API, for a pod without any uid
/// in a directory of kPods, and for one without a name among kSubmitted.
[[nodiscard]] Result<std::vector<Manifest>> parse_manifests(std::string_view text,
                                                            std::string_view file,
                                                            DocumentFormat format,
                                                            ManifestKind kind);

}  // namespace evictd::cluster
