// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/pod_cgroup.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// The role of a path within a hierarchy.
enum class PlaceKind {
  kNowhere,   ///< Not relevant, and nothing below it can be.
  kOnTheWay,  ///< Pods may come below it.
  kPodRoot,   ///< A place where a kubelet keeps its pods.
  kPod,
  kContainer,  ///< Directly in a pod.
  kInside,     ///< In a pod, but no container: a container's monitor, or a cgroup that a container
               ///< created.
};

struct Place {
  PlaceKind kind = PlaceKind::kNowhere;
  /// For the last three kinds: the path of the pod, its name, and the rule if it is external.
  std::string_view pod_path;
  PodName pod;
  std::optional<std::size_t> rule;
  /// For kContainer.
  std::string container_id;
};

/// Which drivers' names are accepted, and where.
struct PlaceOptions {
  /// The kubelet's --cgroup-root, or the pod root itself; "" or "/" for none.
  std::string cgroup_root;
  /// Unset: both.
  std::optional<CgroupDriver> driver;
  std::vector<ExternalPodRule> external_pods;
};

/// Determines from a path alone what is there. Pure.
class PlaceRules {
 public:
  /// Errors: kInvalid for a root or glob that is not absolute or has a "." or ".." part, and for a
  /// glob that is "/" or has a '['. Only '*' and '?' are patterns; a backslash is literal.
  [[nodiscard]] static Result<PlaceRules> create(PlaceOptions options);

  /// Candidate paths of the pod root, the likeliest first.
  [[nodiscard]] const std::vector<std::string>& pod_roots() const { return pod_roots_; }
  /// `path` begins with '/' and does not end with one. `pod_root` is the existing one of
  /// pod_roots(), "" for none. The result points into `path`.
  [[nodiscard]] Place place_of(std::string_view path, std::string_view pod_root) const;

  [[nodiscard]] const std::vector<ExternalPodRule>& external_pods() const {
    return options_.external_pods;
  }

 private:
  explicit PlaceRules(PlaceOptions options) : options_(std::move(options)) {}

  void add_pod_roots();
  [[nodiscard]] Place place_in_pod_root(std::string_view path, std::string_view pod_root) const;
  [[nodiscard]] Place place_by_rule(std::string_view path) const;

  PlaceOptions options_;
  std::vector<std::string> pod_roots_;
};

/// The uid of a cgroup outside Kubernetes: "cgroup:" and its path.
[[nodiscard]] std::string external_uid(std::string_view path);

}  // namespace evictd::cluster
