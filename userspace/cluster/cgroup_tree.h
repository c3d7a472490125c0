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

/// What one created, removed or emptied cgroup means.
enum class TreeChange {
  kIrrelevant,        ///< No pod's business, or known already.
  kPodAdded,          ///< The pod is new, was made anew, or is at its other place from now on.
  kPodChanged,        ///< It got or lost its processes, its cgroup in the pids hierarchy, or a
                      ///< cgroup in it that is no container.
  kPodRemoved,        ///< It is gone; find() no longer knows it.
  kContainerAdded,    ///< In the pod.
  kContainerRemoved,  ///< From the pod.
  kRootChanged,       ///< The cgroup that holds all pods was made or removed: scan().
};

struct TreeAnswer {
  TreeChange change = TreeChange::kIrrelevant;
  /// uid of the pod meant; empty for kIrrelevant and kRootChanged.
  std::string uid;
};

/// Who is a pod according to the cgroup tree. Scanned once, then kept up to date by events; a scan
/// at any later time gives the same. Events for what is known already change nothing, so those
/// that came before or during a scan may be given after it.
/// Thread rule: housekeeping only.
class CgroupTree {
 public:
  /// Borrows `root`, which must outlive the tree. Knows no pod until scan().
  [[nodiscard]] static Result<CgroupTree> create(const sys::Root& root, sys::CgroupLayout layout,
                                                 PlaceOptions options);

  /// Finds the pod root alone: what has to be known before its pods can be watched.
  void find_root();
  /// Where the next scan() will find it, as far as that can be said now; "" for nowhere. One that
  /// cannot be looked at is where it was.
  [[nodiscard]] std::string look_for_root() const;
  /// Reads the tree anew. No pod root is no error: there are no pods until it appears.
  /// Answers the uids of pods that have other cgroups, deep ones included, than was known before;
  /// none at the first scan. Errors: those of reading the root of a hierarchy; then nothing is
  /// changed.
  /// Cost: on v1 some 20 system calls for a pod with one container, 4 for each other cgroup in it,
  /// no path of more than two parts among them. In a later scan 7 for a pod with the same cgroups:
  /// its directory is not read again where the link count and the ids of what was known say that
  /// there is nothing else in it.
  [[nodiscard]] Result<std::vector<std::string>> scan();

  /// A cgroup `name` was made below `parent`; both ids are of the same hierarchy.
  /// Cost: none if the parent is nobody's; else about as much as scan() for that one cgroup.
  [[nodiscard]] TreeAnswer created(CgroupId id, CgroupId parent, std::string_view name);
  /// A cgroup was removed.
  [[nodiscard]] TreeAnswer removed(CgroupId id);
  /// The kernel said whether a live process is in the cgroup or below it.
  [[nodiscard]] TreeAnswer populated_changed(CgroupId id, bool populated);

  /// Known pods, oldest first, then by uid. Valid until the next call that is not const.
  [[nodiscard]] std::vector<const PodCgroup*> pods() const;
  /// nullptr when there is none. Valid as pods().
  [[nodiscard]] const PodCgroup* find(std::string_view uid) const;
  /// The pod that the cgroup is, or is in; nullptr when there is none.
  [[nodiscard]] const PodCgroup* find(CgroupId id) const;

  /// Where the pods are, within the hierarchy; "" while there is no pod root.
  [[nodiscard]] const std::string& pod_root() const { return state_.pod_root; }
  /// Its id in the memory hierarchy; names nothing while there is none.
  [[nodiscard]] CgroupId pod_root_id() const { return state_.pod_root_id; }
  [[nodiscard]] const PlaceRules& rules() const { return rules_; }
  [[nodiscard]] const sys::CgroupLayout& layout() const { return layout_; }

 private:
  /// A cgroup below which pods may come, or that is one or in one.
  struct Node {
    std::string path;
    /// uid of the pod that it is or is in; empty on the way.
    std::string uid;
    /// What a scan has found right in it, if it is in a pod. Only a guess at what is in it now.
    std::vector<std::string> children{};
  };
  struct State {
    std::string pod_root;
    CgroupId pod_root_id;
    std::map<std::string, PodCgroup, std::less<>> pods;
    std::map<CgroupId, Node> nodes;
  };
  /// One cgroup that is looked at; the last two of a pod in the memory hierarchy only.
  struct Found {
    std::string path;
    Place place;
    CgroupId id;
    bool populated = false;
    CgroupId pids_id{};
    std::vector<std::string> children{};
  };
  using Entries = std::vector<sys::Directory::Entry>;
  /// A directory on the way of a scan: the one that is `within` an open one, or that one itself
  /// where it is empty.
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
  /// What is in a directory of which `look` has told, without reading it: what was in it at the
  /// last scan, if all of that is there and nothing else can be. Nothing if it has to be read.
  [[nodiscard]] std::optional<Entries> same_as_before(const Level& level, const Found& found,
                                                      const sys::Directory::Look& look) const;
  /// What a cgroup is that an event told of.
  [[nodiscard]] Found look_up(const sys::Hierarchy& hierarchy, const std::string& path,
                              CgroupId id) const;
  TreeAnswer add(const sys::Hierarchy& hierarchy, const Found& found, State& state) const;
  static TreeAnswer add_pod(const Found& found, State& state);
  [[nodiscard]] std::vector<std::string> differing(const State& before) const;
  TreeAnswer forget(const Node& node, CgroupId id);
  /// Makes the cgroup at `path` the pod's, if it is one that a pod may have and no other of the
  /// same uid has processes: while that was a leftover without any, it may have hidden this one.
  TreeAnswer take_place(const std::string& path, CgroupId id);
  /// The same for whichever cgroup there is of the pod beside `known`, its own so far.
  TreeAnswer take_other_place(const std::string& uid, CgroupId known);
  [[nodiscard]] const sys::Hierarchy* hierarchy_of(CgroupId id) const;

  const sys::Root* root_;
  sys::CgroupLayout layout_;
  PlaceRules rules_;
  State state_;
};

}  // namespace evictd::cluster
