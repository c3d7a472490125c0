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
  kNotYetRead,  ///< Known and running, but no statistics of it were read: waited for.
  kUnknown,     ///< A cgroup that no source of pods knows: shown, never evicted.
  kTerminated,  ///< Failed, Succeeded, or its deletion was asked for and nothing runs any more.
  kEmpty,       ///< Its cgroup has no live process: starting, or between two containers.
  kNoCgroup,    ///< A manifest without a cgroup.
};

/// "active", "not_yet_read", "unknown", "terminated", "empty", "no_cgroup".
[[nodiscard]] std::string_view to_string(PodState state);

/// Where the description of a pod came from.
enum class PodOrigin {
  kManifest,  ///< A v1.Pod.
  kPath,      ///< Nothing but the cgroup's path: QoS class, no priority, no requests.
  kRule,      ///< A rule for cgroups outside Kubernetes.
};

/// "manifest", "path", "rule".
[[nodiscard]] std::string_view to_string(PodOrigin origin);

/// One pod, as everything above the sources sees it. Whether it is static, a mirror or critical
/// follows from `pod` (eviction/pod_facts.h).
struct PodEntry {
  /// The uid that names the cgroup; the origin for a static manifest that has none.
  std::string uid;
  eviction::Pod pod;
  PodOrigin origin = PodOrigin::kPath;
  PodState state = PodState::kUnknown;
  /// Unset without a cgroup.
  std::optional<PodCgroup> cgroup;
  /// "FILE:LINE" of the manifest, empty without one.
  std::string manifest_origin;
};

/// What is done about pods that no manifest describes.
enum class UnknownPods {
  kNeverEvict,  ///< The default; also while a directory of manifests is still to be read.
  kEvict,       ///< evictUnknownPods: true; counts only where no source of pods is configured.
};

/// Whether anything but the tree tells which pods there are.
enum class PodSources {
  kTreeOnly,
  /// A directory of pods' manifests or an API, even if it has no pod or cannot be read now. A
  /// directory of static manifests alone is none: it does not know the other pods.
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

/// All pods of the node, and what is wrong with their descriptions.
struct PodTable {
  /// Those with a cgroup first, newest first, as pods that rank equal are evicted: by creation
  /// time, then those whose time is not known by cgroup id; then by uid. After them the manifests
  /// without a cgroup, by uid. The same inputs give the same order.
  std::vector<PodEntry> entries;
  /// Of each uid that two manifests claim, unless they are a static pod and its mirror. The first
  /// one counts, but the pod is static, a mirror or critical if any of them says so.
  std::vector<Error> problems;

  [[nodiscard]] std::size_t count(PodState state) const;
  /// nullptr when there is none.
  [[nodiscard]] const PodEntry* find(std::string_view uid) const;
};

/// Joins cgroups and manifests by uid. Pure. A known pod with processes is kActive here; whether
/// its statistics were read only state_with() can tell.
[[nodiscard]] PodTable join_pods(const JoinInputs& inputs);

/// The state of an entry once its newest reading is known: kNotYetRead for an active pod without
/// one.
[[nodiscard]] PodState state_with(const PodEntry& entry, const CgroupUsage& usage);

}  // namespace evictd::cluster
