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

/// What a path within a hierarchy is to us.
enum class PlaceKind {
  kNowhere,   ///< Nothing of interest is there or can come below it.
  kOnTheWay,  ///< Pods may come below it.
  kPodRoot,   ///< A place where a kubelet has its pods.
  kPod,
  kContainer,  ///< Directly in a pod.
  kInside,     ///< In a pod, but no container: its monitor, or what a container made itself.
};

struct Place {
  PlaceKind kind = PlaceKind::kNowhere;
  /// For the last three kinds: the path of the pod, its name, and the rule when it is external.
  std::string_view pod_path;
  PodName pod;
  std::optional<std::size_t> rule;
  /// For kContainer.
  std::string container_id;
};

/// Which drivers' names are accepted.
struct PlaceOptions {
  /// The kubelet's --cgroup-root, or the pod root itself; "" or "/" for none.
  std::string cgroup_root;
  /// Unset: both.
  std::optional<CgroupDriver> driver;
  std::vector<ExternalPodRule> external_pods;
};

/// Tells from a path alone what is there. Pure.
class PlaceRules {
 public:
  /// Errors: kInvalid for a root or glob that is not absolute or has a "." or ".." part, and for a
  /// glob that is "/" or has a '[': only '*' and '?' are patterns, a backslash is itself.
  [[nodiscard]] static Result<PlaceRules> create(PlaceOptions options);

  /// Where the pod root may be, the likeliest first.
  [[nodiscard]] const std::vector<std::string>& pod_roots() const { return pod_roots_; }
  /// `path` begins with '/' and has none at its end. `pod_root` is the one of pod_roots() that is
  /// there, "" for none. The answer points into `path`.
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

/// uid that a cgroup outside Kubernetes gets: "cgroup:" and its path.
[[nodiscard]] std::string external_uid(std::string_view path);

}  // namespace evictd::cluster
