// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/manifest.h"
#include "cluster/pod_cgroup.h"
#include "evictd/usage.h"
#include "eviction/pod.h"

namespace evictd::cluster {

/// Whether a pod takes part in a pass. Only kActive pods are ranked.
enum class PodState {
  kActive,      ///< Known and running.
  kNotYetRead,  ///< Known and running, but none of its statistics is read yet: evictd waits.
  kUnknown,     ///< A cgroup that no source of pods knows: displayed, never evicted.
  kTerminated,  ///< Failed, Succeeded, or deleted with no process left.
  kEmpty,       ///< Its cgroup has no live process: starting, or between two containers.
  kNoCgroup,    ///< A manifest without a cgroup.
};

/// "active", "not_yet_read", "unknown", "terminated", "empty", "no_cgroup".
[[nodiscard]] std::string_view to_string(PodState state);

/// Source of a pod's description.
enum class PodOrigin {
  kManifest,  ///< A v1.Pod.
  kPath,      ///< Only the cgroup's path: QoS class, no priority, no requests.
  kRule,      ///< A rule for cgroups outside Kubernetes.
};

/// "manifest", "path", "rule".
[[nodiscard]] std::string_view to_string(PodOrigin origin);

/// One pod, as all consumers of the sources see it. `pod` tells whether it is static, a mirror or
/// critical (eviction/pod_facts.h).
struct PodEntry {
  /// The uid in the name of the cgroup; the manifest's origin for a static manifest without one.
  std::string uid;
  eviction::Pod pod;
  PodOrigin origin = PodOrigin::kPath;
  PodState state = PodState::kUnknown;
  /// Unset without a cgroup.
  std::optional<PodCgroup> cgroup;
  /// "FILE:LINE" of the manifest, empty without one.
  std::string manifest_origin;
};

/// How evictd treats pods that no manifest describes.
enum class UnknownPods {
  kNeverEvict,  ///< The default; also while a directory of manifests is not read yet.
  kEvict,       ///< evictUnknownPods: true; applies only if no source of pods is configured.
};

/// Whether there is a source of pods besides the tree.
enum class PodSources {
  kTreeOnly,
  /// A directory of pods' manifests or an API, even if it has no pod or cannot be read now. A
  /// directory of static manifests alone does not count: it does not know the other pods.
  kConfigured,
};

struct JoinInputs {
  /// As CgroupTree::pods().
  std::span<const PodCgroup* const> cgroups;
  /// Of all sources, as ManifestDirectory::manifests().
  std::span<const Manifest* const> manifests;
  PodSources sources = PodSources::kTreeOnly;
  UnknownPods unknown_pods = UnknownPods::kNeverEvict;
  /// As PlaceRules::external_pods().
  std::span<const ExternalPodRule> external_pods;
};

/// All pods of the node, and the problems in their descriptions.
struct PodTable {
  /// Pods with a cgroup first, newest first, as equally ranked pods are evicted. They are sorted by
  /// creation time, then those of unknown time by cgroup id, then by uid. Manifests without a
  /// cgroup follow, by uid. The same inputs give the same order.
  std::vector<PodEntry> entries;
  /// One for each uid that two manifests claim, unless they are a static pod and its mirror. evictd
  /// uses the first manifest, but the pod is static, a mirror or critical if any of them says so.
  std::vector<Error> problems;

  [[nodiscard]] std::size_t count(PodState state) const;
  /// nullptr if there is none.
  [[nodiscard]] const PodEntry* find(std::string_view uid) const;
};

/// Joins cgroups and manifests by uid. Pure. A known pod with processes is kActive here,
/// whether or not its statistics were read.
[[nodiscard]] PodTable join_pods(const JoinInputs& inputs);

}  // namespace evictd::cluster
