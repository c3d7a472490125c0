// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/pod_cgroup.h"
#include "enforce/kill_target.h"
#include "enforce/pod_root.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "sys/cgroup_layout.h"

namespace evictd::daemon {

/// The directories below which pods live, in every hierarchy that matters, each kept open: what may
/// be signalled is below one of them, and the kernel side reports changes below them.
/// Thread rule: housekeeping only.
class PodPlaces {
 public:
  /// Borrows `layout`.
  explicit PodPlaces(const sys::CgroupLayout& layout) : layout_(layout) {}

  /// Opens `pod_root` ("" for none) and the parents of external pods in each hierarchy; call once.
  /// A parent may come later, and so may any directory of the pids hierarchy: see follow().
  /// Errors: kNotFound when the memory hierarchy lacks `pod_root`; those of PodRoot::open().
  [[nodiscard]] Result<> open(std::string_view pod_root,
                              const std::vector<cluster::ExternalPodRule>& external);
  /// Lets go of what is gone, and opens what was not there or was made anew. Answers the paths of
  /// which something changed. What cannot be looked at now stays as it is.
  /// Cost: as opening a directory, for each path and hierarchy.
  [[nodiscard]] std::vector<std::string> follow();
  /// Whether follow() would change something. Cost: the same.
  [[nodiscard]] bool changed() const;
  /// Whether `path` is that of one of them, open or not.
  [[nodiscard]] bool has(std::string_view path) const { return roots_.contains(path); }

  /// Ids of all that are open, for the kernel side to report changes below.
  [[nodiscard]] std::vector<CgroupId> ids() const;

  /// Id of the one at `path` in the pids hierarchy of v1; names nothing without one.
  [[nodiscard]] CgroupId pids_id(std::string_view path) const;

  struct TargetOptions {
    enforce::Protection protection = enforce::Protection::kUnknown;
    enforce::Preparation preparation = enforce::Preparation::kAtOnce;
    /// As in KillTarget::Options.
    int usage_fd = -1;
  };
  /// Opens what is needed to signal `pod`.
  /// Errors: those of KillTarget::open; kInvalid for a pod that is below none of the roots.
  [[nodiscard]] Result<std::unique_ptr<enforce::KillTarget>> open_target(
      const cluster::PodCgroup& pod, const TargetOptions& wanted) const;

 private:
  /// One a hierarchy, that of memory first; none where memory has no such directory.
  using Roots = std::vector<enforce::PodRoot>;

  [[nodiscard]] Result<Roots> open_in_all(const std::string& path) const;

  const sys::CgroupLayout& layout_;
  /// By path within the hierarchy, without a '/' at its end.
  std::map<std::string, Roots, std::less<>> roots_;
};

/// The longest directory of `glob` without a wildcard in it: "/system.slice" of
/// "/system.slice/batch-*.service".
[[nodiscard]] std::string fixed_parent(std::string_view glob);

}  // namespace evictd::daemon
