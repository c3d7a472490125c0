// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"
#include "kube/container_roles.h"
#include "kube/pod_document.h"

namespace evictd::kube {

/// Changes to make in the directory of manifests.
struct ManifestChanges {
  std::vector<PodDocument> write;
  /// Uids.
  std::vector<std::string> remove;
  /// Number of documents that evictd cannot read and of pods beyond the limit, and the first
  /// reason. Their earlier manifests stay.
  std::size_t refused = 0;
  std::string first_refusal;
};

/// How long a pod must be missing from lists before it counts as gone.
struct Absence {
  /// A pod is gone if every list lacked it for this long; 0: at once.
  Duration gone_after{};
  /// The same while the lists are empty.
  Duration all_gone_after{};
};

/// The pods that exist, and their manifests. Pure.
class KnownPods {
 public:
  explicit KnownPods(std::size_t max_pods) : max_pods_(max_pods) {}

  /// Adds a manifest that exists already, at the start.
  void adopt(PodDocument document);

  /// `pods` is the source's complete list.
  [[nodiscard]] ManifestChanges take_list(std::vector<PodDocument> pods, Absence absence,
                                          MonoTime now);
  /// One pod was added or changed.
  [[nodiscard]] ManifestChanges take_pod(PodDocument pod);
  /// The source reports this pod as deleted.
  [[nodiscard]] ManifestChanges take_deleted(const std::string& uid);

  /// The pod's manifest could not be written: its next document is written even if it is the same.
  void forget_text(const std::string& uid);

  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  /// The roles of a pod's containers; empty for an unknown pod.
  [[nodiscard]] const ContainerRoles& roles_in(const std::string& uid) const;

 private:
  struct Known {
    std::string text;
    ContainerRoles roles{};
    /// Time since which every list lacked it.
    std::optional<MonoTime> absent_since{};
  };

  void take(PodDocument document, ManifestChanges& changes);

  std::size_t max_pods_;
  std::map<std::string, Known> pods_;
};

}  // namespace evictd::kube
