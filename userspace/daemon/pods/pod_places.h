// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/path_watch.h"
#include "cluster/pod_cgroup.h"
#include "daemon/state/instance_lock.h"
#include "enforce/kill_target.h"
#include "enforce/own_cgroups.h"
#include "enforce/pod_root.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "sys/cgroup_files.h"
#include "sys/cgroup_layout.h"
#include "sys/root.h"

namespace evictd::daemon {

/// The directories below which pods live, kept open in every relevant hierarchy. Only processes
/// below them may be signalled, and the kernel side reports changes below them. Each is also locked
/// in the memory hierarchy: one that another evictd watches is refused. Thread rule: housekeeping
/// only.
class PodPlaces {
 public:
  /// Borrows `layout`. `lock_directory` as in InstanceLock::Options.
  PodPlaces(const sys::CgroupLayout& layout, std::string lock_directory)
      : layout_(layout), lock_directory_(std::move(lock_directory)) {}

  /// Where pods may be; each directory may appear later, in any hierarchy.
  struct Wanted {
    /// The existing pod root, "" for none, and all its candidate paths.
    std::string pod_root;
    std::vector<std::string> pod_roots;
    std::vector<cluster::ExternalPodRule> external;
  };
  /// Opens the pod root and the parents of external pods in each hierarchy; call once. Errors:
  /// kBusy if another evictd watches one of them; those of PodRoot::open().
  [[nodiscard]] Result<> open(const Wanted& wanted);
  /// Closes what is gone. Opens what was missing, was created again, or belonged to another evictd.
  /// `pod_root` is the pod root from now on. Returns the paths that changed. What cannot be read
  /// now stays as it is. Cost: as opening a directory, for each path and hierarchy.
  [[nodiscard]] std::vector<std::string> follow(const std::string& pod_root);
  /// Whether follow() might change something. Also true while another evictd has one of them,
  /// because no event reports the end of that. Cost: the same.
  [[nodiscard]] bool changed(std::string_view pod_root) const;
  /// As base::PathWatch has them, for the pod root, its candidates, and parents.
  [[nodiscard]] int fd() const { return watch_.fd(); }
  [[nodiscard]] bool take_changes() { return watch_.take_changes(); }
  [[nodiscard]] bool take_reports() { return watch_.take_reports(); }
  /// Whether `path` is one of them, open or not.
  [[nodiscard]] bool has(std::string_view path) const { return places_.contains(path); }
  /// Whether the one at `path` exists and was refused.
  [[nodiscard]] bool is_refused(std::string_view path) const;
  /// One error for each refused directory, and for each that inotify does not cover.
  [[nodiscard]] std::vector<Error> problems() const;

  /// Ids of all open directories; the kernel side reports changes below them.
  [[nodiscard]] std::vector<CgroupId> ids() const;

  /// Id of the one at `path` in the v1 pids hierarchy; names nothing without one.
  [[nodiscard]] CgroupId pids_id(std::string_view path) const;

  /// Opens the files of `pod`, and its directory in one hierarchy. Starts from the open directory
  /// above the pod if that is open in each hierarchy, else uses the whole path below `root`.
  /// Errors: those of sys::CgroupFiles::open() and sys::Root::open_file().
  [[nodiscard]] Result<sys::CgroupFiles> open_files(const sys::Root& root,
                                                    const cluster::PodCgroup& pod) const;
  [[nodiscard]] Result<base::Fd> open_directory(const sys::Root& root,
                                                const sys::Hierarchy& hierarchy,
                                                const cluster::PodCgroup& pod) const;

  /// Where evictd and pid 1 are now, for the targets of many pods.
  [[nodiscard]] std::optional<enforce::OwnCgroups> find_own(const sys::Root& root) const;

  struct TargetOptions {
    enforce::Protection protection = enforce::Protection::kUnknown;
    enforce::Preparation preparation = enforce::Preparation::kAtOnce;
    /// As in KillTarget::Options.
    int usage_fd = -1;
    bool keep_memory_high = false;
    const enforce::OwnCgroups* own = nullptr;
  };
  /// Opens what is needed to signal `pod`. Errors: those of KillTarget::open; kInvalid for a pod
  /// that is below none of the roots.
  [[nodiscard]] Result<std::unique_ptr<enforce::KillTarget>> open_target(
      const cluster::PodCgroup& pod, const TargetOptions& wanted) const;

 private:
  /// One for each hierarchy, memory first; empty if memory has no such directory.
  using Roots = std::vector<enforce::PodRoot>;

  struct Place {
    /// Empty while it is refused.
    Roots roots;
    /// Lock of the directory in the memory hierarchy.
    std::optional<InstanceLock> lock;
    std::optional<Error> refused;
  };

  /// The open directory above a pod, and the pod's path from there; nullptr if none is open.
  struct Below {
    const Roots* roots = nullptr;
    std::string path{};
  };

  [[nodiscard]] Result<Roots> open_in_all(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> in_hierarchies(
      const std::vector<std::string>& paths) const;
  /// Replaces the roots of `place`, which differ from before, with `now`. Errors: those of
  /// InstanceLock::acquire(); it then has no roots.
  [[nodiscard]] Result<> replace_roots(Place& place, Roots now) const;
  [[nodiscard]] Below find(const cluster::PodCgroup& pod) const;
  [[nodiscard]] bool has_pids_apart() const {
    return layout_.pids() && layout_.pids()->id != layout_.memory().id;
  }

  const sys::CgroupLayout& layout_;
  std::string lock_directory_;
  /// By path within the hierarchy, without a trailing '/'.
  std::map<std::string, Place, std::less<>> places_;
  std::string pod_root_;
  std::set<std::string, std::less<>> parents_;
  base::PathWatch watch_;
};

/// The longest directory of `glob` without a wildcard: "/system.slice" of
/// "/system.slice/batch-*.service".
[[nodiscard]] std::string fixed_parent(std::string_view glob);

}  // namespace evictd::daemon
