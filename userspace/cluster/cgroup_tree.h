// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/pod_cgroup.h"
#include "cluster/pod_place.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "sys/cgroup_layout.h"
#include "sys/directory.h"
#include "sys/root.h"

namespace evictd::cluster {

/// The meaning of a created, removed or emptied cgroup.
enum class TreeChange {
  kIrrelevant,        ///< Concerns no pod, or was known already.
  kPodAdded,          ///< The pod is new, was created again, or is at its other place from now on.
  kPodChanged,        ///< The pod got or lost its processes, its cgroup in the pids hierarchy, or a
                      ///< cgroup in it that is no container.
  kPodRemoved,        ///< The pod is gone; find() no longer knows it.
  kContainerAdded,    ///< A container in the pod.
  kContainerRemoved,  ///< A container of the pod.
  kRootChanged,       ///< The cgroup that holds all pods was created or removed: call scan().
};

struct TreeAnswer {
  TreeChange change = TreeChange::kIrrelevant;
  /// uid of the pod concerned; empty for kIrrelevant and kRootChanged.
  std::string uid;
};

/// The pods according to the cgroup tree. One scan finds them, then events keep the set up to date;
/// a later scan gives the same result. An event for a known fact changes nothing. So events that
/// arrived before or during a scan may be applied after it. Thread rule: housekeeping only.
class CgroupTree {
 public:
  /// Borrows `root`, which must outlive the tree. Knows no pod before scan().
  [[nodiscard]] static Result<CgroupTree> create(const sys::Root& root, sys::CgroupLayout layout,
                                                 PlaceOptions options);

  /// Finds only the pod root, which must be known before its pods can be watched.
  void find_root();
  /// Returns where the next scan() will find the pod root, as far as known now; "" for none. If it
  /// cannot be read, returns its last place.
  [[nodiscard]] std::string look_for_root() const;
  /// Reads the whole tree. A missing pod root is no error: there are no pods until it appears.
  /// Returns the uids of pods whose cgroups, nested ones included, differ from what was known; none
  /// at the first scan. Errors: those of reading the root of a hierarchy; then nothing changes.
  /// Cost on v1: some 20 system calls for a pod with one container and 4 for each other cgroup in
  /// it. None of their paths has more than two parts. A later scan needs 7 for a pod with the same
  /// cgroups. It skips reading a pod's directory if the link count and the known ids prove that
  /// nothing else is in it.
  [[nodiscard]] Result<std::vector<std::string>> scan();

  /// Handles the creation of a cgroup `name` below `parent`; both ids are of the same hierarchy.
  /// Cost: none if the parent belongs to no pod, else about as much as scan() for that cgroup.
  [[nodiscard]] TreeAnswer created(CgroupId id, CgroupId parent, std::string_view name);
  /// Handles the removal of a cgroup.
  [[nodiscard]] TreeAnswer removed(CgroupId id);
  /// Handles the kernel's report whether a live process is in the cgroup or below it.
  [[nodiscard]] TreeAnswer populated_changed(CgroupId id, bool populated);

  /// Known pods, oldest first, then by uid. Valid until the next non-const call.
  [[nodiscard]] std::vector<const PodCgroup*> pods() const;
  /// nullptr if there is none. Valid as pods().
  [[nodiscard]] const PodCgroup* find(std::string_view uid) const;
  /// The pod that the cgroup is, or is inside of; nullptr if there is none.
  [[nodiscard]] const PodCgroup* find(CgroupId id) const;

  /// Path of the pod root within the hierarchy; "" while there is no pod root.
  [[nodiscard]] const std::string& pod_root() const { return state_.pod_root; }
  /// Id of the pod root in the memory hierarchy; names nothing while there is none.
  [[nodiscard]] CgroupId pod_root_id() const { return state_.pod_root_id; }
  [[nodiscard]] const PlaceRules& rules() const { return rules_; }
  [[nodiscard]] const sys::CgroupLayout& layout() const { return layout_; }

 private:
  /// A cgroup that is a pod, is inside one, or may have pods below it.
  struct Node {
    std::string path;
    /// uid of the pod that it is or is inside of; empty above the pods.
    std::string uid;
    /// The child cgroups that a scan found, if it is in a pod. Only a guess at the current ones.
    std::vector<std::string> children{};
  };
  struct State {
    std::string pod_root;
    CgroupId pod_root_id;
    std::map<std::string, PodCgroup, std::less<>> pods;
    std::map<CgroupId, Node> nodes;
  };
  /// One cgroup that is read. Only a pod's cgroup in the memory hierarchy has the last two members.
  struct Found {
    std::string path;
    Place place;
    CgroupId id;
    bool populated = false;
    CgroupId pids_id{};
    std::vector<std::string> children{};
  };
  using Entries = std::vector<sys::Directory::Entry>;
  /// A directory visited by a scan: the one at `within` below an open directory, or that directory
  /// itself if `within` is empty.
  struct Level {
    const sys::Directory& directory;
    std::string within{};
    const std::string& path;
    int depth = 0;
  };

  CgroupTree(const sys::Root& root, sys::CgroupLayout layout, PlaceRules rules);

  void find_pod_root(State& state) const;
  [[nodiscard]] Result<> scan_hierarchy(const sys::Hierarchy& hierarchy, State& state) const;
  /// `entries` are the directories in `level`.
  void scan_below(const sys::Hierarchy& hierarchy, const Level& level, const Entries& entries,
                  State& state) const;
  void scan_one(const sys::Hierarchy& hierarchy, const Level& above,
                const sys::Directory::Entry& entry, Found found, State& state) const;
  /// `found` is `level`, and `entries` are the directories in it.
  void scan_in(const sys::Hierarchy& hierarchy, const Level& level, const Entries& entries,
               Found found, State& state) const;
  /// Returns the child directories of a directory for which `look` was read, without listing it.
  /// They are the ones of the last scan, if all still exist and no other can. nullopt if it has to
  /// be listed.
  [[nodiscard]] std::optional<Entries> same_as_before(const Level& level, const Found& found,
                                                      const sys::Directory::Look& look) const;
  /// Reads the cgroup that an event reported.
  [[nodiscard]] Found read_reported(const sys::Hierarchy& hierarchy, const std::string& path,
                                    CgroupId id) const;
  TreeAnswer add(const sys::Hierarchy& hierarchy, const Found& found, State& state) const;
  static TreeAnswer add_pod(const Found& found, State& state);
  [[nodiscard]] std::vector<std::string> differing(const State& before) const;
  TreeAnswer forget(const Node& node, CgroupId id);
  /// Makes the cgroup at `path` the pod's, if a pod may have it and no other cgroup with the same
  /// uid has processes. That other one may be a leftover without processes that has hidden this
  /// one.
  TreeAnswer adopt_place(const std::string& path, CgroupId id);
  /// The same for any other cgroup of the pod than `known`, the current one.
  TreeAnswer adopt_other_place(const std::string& uid, CgroupId known);
  [[nodiscard]] const sys::Hierarchy* hierarchy_of(CgroupId id) const;

  const sys::Root* root_;
  sys::CgroupLayout layout_;
  PlaceRules rules_;
  State state_;
};

}  // namespace evictd::cluster
