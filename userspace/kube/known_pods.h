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

/// What is to be done to the directory of manifests.
struct ManifestChanges {
  std::vector<PodDocument> write;
  /// Uids.
  std::vector<std::string> remove;
  /// Documents that evictd could not read and pods beyond the limit, with why of the first: what is
  /// known of them stays as it is.
  std::size_t refused = 0;
  std::string first_refusal;
};

/// How much is believed of a list that lacks a pod.
struct Absence {
  /// A pod is gone once every list lacked it for so long; 0: at once.
  Duration gone_after{};
  /// The same while no pod at all is listed.
  Duration all_gone_after{};
};

/// Which pods there are, and their manifests. Pure.
class KnownPods {
 public:
  explicit KnownPods(std::size_t max_pods) : max_pods_(max_pods) {}

  /// A manifest that is there already, as at the start.
  void adopt(PodDocument document);

  /// `pods` are all that the source has.
  [[nodiscard]] ManifestChanges take_list(std::vector<PodDocument> pods, Absence absence,
                                          MonoTime now);
  /// One pod is new or another.
  [[nodiscard]] ManifestChanges take_pod(PodDocument pod);
  /// The source says that this one is gone.
  [[nodiscard]] ManifestChanges take_deleted(const std::string& uid);

  /// Its manifest could not be written: the next document of it is written, also the same one.
  void forget_text(const std::string& uid);

  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  /// Of the containers of a pod; empty for one that is not known.
  [[nodiscard]] const ContainerRoles& roles_in(const std::string& uid) const;

 private:
  struct Known {
    std::string text;
    ContainerRoles roles{};
    /// Since when each list lacked it.
    std::optional<MonoTime> absent_since{};
  };

  void take(PodDocument document, ManifestChanges& changes);

  std::size_t max_pods_;
  std::map<std::string, Known> pods_;
};

}  // namespace evictd::kube
