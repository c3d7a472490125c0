// SPDX-License-Identifier: Apache-2.0
#include "cluster/cgroup_tree.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "evictd/try.h"

namespace evictd::cluster {

namespace {

/// A container may create its own cgroups; deeper ones than these are ignored.
constexpr int kDeepest = 32;

void add_container(PodCgroup& pod, ContainerCgroup container) {
  const auto at = std::lower_bound(
      pod.containers.begin(), pod.containers.end(), container,
      [](const ContainerCgroup& a, const ContainerCgroup& b) { return a.path < b.path; });
  if (at != pod.containers.end() && at->path == container.path) {
    *at = std::move(container);
  } else {
    pod.containers.insert(at, std::move(container));
  }
}

/// A pod whose state is unknown counts as populated: an eviction finds out, but a pod that counts
/// as empty takes part in no eviction.
bool may_be_populated(const Result<bool>& populated) {
  return populated ? *populated : populated.error().code != Errc::kNotFound;
}

/// A cgroup that was removed meanwhile has no entries.
std::vector<sys::Directory::Entry> entries_in(const sys::Directory& directory) {
  return directory.directories().value_or(std::vector<sys::Directory::Entry>{});
}

}  // namespace

CgroupTree::CgroupTree(const sys::Root& root, sys::CgroupLayout layout, PlaceRules rules)
    : root_(&root), layout_(std::move(layout)), rules_(std::move(rules)) {}

Result<CgroupTree> CgroupTree::create(const sys::Root& root, sys::CgroupLayout layout,
                                      PlaceOptions options) {
  EVICTD_ASSIGN_OR_RETURN(PlaceRules rules, PlaceRules::create(std::move(options)));
  return CgroupTree(root, std::move(layout), std::move(rules));
}

void CgroupTree::find_root() {
  State state;
  find_pod_root(state);
  state_ = std::move(state);
}

std::string CgroupTree::look_for_root() const {
  State state;
  find_pod_root(state);
  return state.pod_root;
}

Result<std::vector<std::string>> CgroupTree::scan() {
  State state;
  find_pod_root(state);
  // Memory first: it creates the pods, the other hierarchy only adds to them.
  EVICTD_TRY(scan_hierarchy(layout_.memory(), state));
  if (layout_.pids() && layout_.pids() != layout_.memory()) {
    EVICTD_TRY(scan_hierarchy(*layout_.pids(), state));
  }
  const State before = std::exchange(state_, std::move(state));
  return differing(before);
}

std::vector<std::string> CgroupTree::differing(const State& before) const {
  std::vector<std::string> uids;
  if (before.nodes.empty()) {
    return uids;
  }
  const auto add_absent = [&uids](const auto& nodes, const auto& others) {
    for (const auto& [id, node] : nodes) {
      if (!node.uid.empty() && !others.contains(id)) {
        uids.push_back(node.uid);
      }
    }
  };
  add_absent(before.nodes, state_.nodes);
  add_absent(state_.nodes, before.nodes);
  std::sort(uids.begin(), uids.end());
  uids.erase(std::unique(uids.begin(), uids.end()), uids.end());
  return uids;
}

void CgroupTree::find_pod_root(State& state) const {
  for (const std::string& candidate : rules_.pod_roots()) {
    const bool is_present = candidate == state_.pod_root;
    const Result<CgroupId> id = sys::cgroup_id(*root_, layout_.memory(), candidate);
    if (!id && is_present && id.error().code != Errc::kNotFound) {
      // A root that cannot be read is not necessarily gone.
      state.pod_root = state_.pod_root;
      state.pod_root_id = state_.pod_root_id;
      return;
    }
    if (!id) {
      continue;
    }
    // A kubelet that changed its driver leaves the old, empty root behind.
    const bool populated =
        sys::is_populated(*root_, layout_.memory(), candidate).value_or(is_present);
    if (populated || is_present || state.pod_root.empty()) {
      state.pod_root = candidate;
      state.pod_root_id = *id;
    }
    if (populated) {
      return;
    }
  }
}

Result<> CgroupTree::scan_hierarchy(const sys::Hierarchy& hierarchy, State& state) const {
  EVICTD_ASSIGN_OR_RETURN(const CgroupId top, EVICTD_IN("scan the cgroup tree",
                                                        sys::cgroup_id(*root_, hierarchy, "/")));
  state.nodes.insert_or_assign(top, Node{"/", ""});
  if (const Result<sys::Directory> opened = sys::Directory::open(*root_, hierarchy.path_of("/"))) {
    scan_below(hierarchy, {.directory = *opened, .path = "/", .depth = 0}, entries_in(*opened),
               state);
  }
  return {};
}

void CgroupTree::scan_below(const sys::Hierarchy& hierarchy, const Level& level,
                            const Entries& entries, State& state) const {
  if (level.depth >= kDeepest) {
    return;
  }
  for (const sys::Directory::Entry& entry : entries) {
    const std::string path = sys::join_path(level.path, entry.name);
    Place place = rules_.place_of(path, state.pod_root);
    if (place.kind == PlaceKind::kNowhere) {
      continue;
    }
    const Result<sys::Directory::Look> look =
        entry.look ? Result<sys::Directory::Look>(*entry.look)
                   : level.directory.look_at(sys::name_below(level.within, entry.name));
    if (look) {
      Found found{.path = path, .place = std::move(place), .id = {hierarchy.id, look->inode}};
      scan_one(hierarchy, level, {.name = entry.name, .look = *look}, std::move(found), state);
    }
  }
}

void CgroupTree::scan_one(const sys::Hierarchy& hierarchy, const Level& above,
                          const sys::Directory::Entry& entry, Found found, State& state) const {
  const std::string path = found.path;
  const Level level{.directory = above.directory,
                    .within = sys::name_below(above.within, entry.name),
                    .path = path,
                    .depth = above.depth + 1};
  // If the pids hierarchy is another one, its own scan sets the id.
  found.pids_id = layout_.pids() && *layout_.pids() == hierarchy ? found.id : CgroupId{};
  if (const std::optional<Entries> entries = same_as_before(level, found, *entry.look)) {
    scan_in(hierarchy, level, *entries, std::move(found), state);
    return;
  }
  const Result<sys::Directory> opened = above.directory.open_directory(level.within);
  if (opened) {
    scan_in(hierarchy, {.directory = *opened, .path = path, .depth = level.depth},
            entries_in(*opened), std::move(found), state);
    return;
  }
  found.populated = may_be_populated(Failure(opened.error()));
  static_cast<void>(add(hierarchy, found, state));
}

void CgroupTree::scan_in(const sys::Hierarchy& hierarchy, const Level& level,
                         const Entries& entries, Found found, State& state) const {
  if (found.place.kind == PlaceKind::kPod && hierarchy == layout_.memory()) {
    found.populated = may_be_populated(
        sys::is_populated(level.directory, level.within, hierarchy.version, entries));
  }
  std::transform(entries.begin(), entries.end(), std::back_inserter(found.children),
                 [](const sys::Directory::Entry& entry) { return entry.name; });
  static_cast<void>(add(hierarchy, found, state));
  scan_below(hierarchy, level, entries, state);
}

std::optional<CgroupTree::Entries> CgroupTree::same_as_before(
    const Level& level, const Found& found, const sys::Directory::Look& look) const {
  if (!look.may_have_directories()) {
    return Entries{};
  }
  const auto before = state_.nodes.find(found.id);
  if (before == state_.nodes.end() || look.directories != before->second.children.size()) {
    return std::nullopt;
  }
  Entries entries;
  for (const std::string& name : before->second.children) {
    const Result<sys::Directory::Look> child =
        level.directory.look_at(sys::name_below(level.within, name));
    // A new directory of the same name would not show what existed when the links were counted.
    const auto known =
        child ? state_.nodes.find({found.id.hierarchy, child->inode}) : state_.nodes.end();
    if (known == state_.nodes.end() || known->second.path != sys::join_path(level.path, name)) {
      return std::nullopt;
    }
    entries.push_back({.name = name, .look = *child});
  }
  return entries;
}

CgroupTree::Found CgroupTree::read_reported(const sys::Hierarchy& hierarchy,
                                            const std::string& path, CgroupId id) const {
  Found found{.path = path, .place = rules_.place_of(path, state_.pod_root), .id = id};
  if (found.place.kind == PlaceKind::kPod && hierarchy == layout_.memory()) {
    found.populated = may_be_populated(sys::is_populated(*root_, hierarchy, path));
    if (layout_.pids()) {
      found.pids_id = sys::cgroup_id(*root_, *layout_.pids(), path).value_or(CgroupId{});
    }
  }
  return found;
}

TreeAnswer CgroupTree::add(const sys::Hierarchy& hierarchy, const Found& found,
                           State& state) const {
  const Place& place = found.place;
  const CgroupId id = found.id;
  if (place.kind == PlaceKind::kNowhere) {
    return {};
  }
  const bool is_in_pod = !place.pod.uid.empty();
  Node node{found.path, place.pod.uid, is_in_pod ? found.children : std::vector<std::string>{}};
  const bool is_known = !state.nodes.insert_or_assign(id, std::move(node)).second;
  if (is_known || place.kind == PlaceKind::kOnTheWay) {
    return {};
  }
  const bool is_memory = hierarchy == layout_.memory();
  if (place.kind == PlaceKind::kPodRoot) {
    const bool is_news = is_memory && id != state.pod_root_id;
    return {is_news ? TreeChange::kRootChanged : TreeChange::kIrrelevant, ""};
  }
  if (place.kind == PlaceKind::kPod && is_memory) {
    return add_pod(found, state);
  }
  const auto pod = state.pods.find(place.pod.uid);
  if (pod == state.pods.end() || pod->second.path != place.pod_path) {
    return {};
  }
  if (place.kind == PlaceKind::kPod) {
    const bool is_news = std::exchange(pod->second.pids_id, id) != id;
    return is_news ? TreeAnswer{TreeChange::kPodChanged, place.pod.uid} : TreeAnswer{};
  }
  if (place.kind == PlaceKind::kContainer && is_memory) {
    add_container(pod->second, {place.container_id, found.path, id});
    return {TreeChange::kContainerAdded, place.pod.uid};
  }
  return {TreeChange::kPodChanged, place.pod.uid};
}

TreeAnswer CgroupTree::add_pod(const Found& found, State& state) {
  PodCgroup pod;
  pod.uid = found.place.pod.uid;
  pod.qos = found.place.pod.qos;
  pod.driver = found.place.pod.driver;
  pod.path = found.path;
  pod.memory_id = found.id;
  pod.external_rule = found.place.rule;
  pod.populated = found.populated;
  pod.pids_id = found.pids_id;
  const auto known = state.pods.find(pod.uid);
  // One uid at two places: one is a leftover. The one with processes counts.
  if (known != state.pods.end() && known->second.path != found.path &&
      (known->second.populated || !pod.populated)) {
    return {};
  }
  state.pods.insert_or_assign(pod.uid, std::move(pod));
  return {TreeChange::kPodAdded, found.place.pod.uid};
}

TreeAnswer CgroupTree::created(CgroupId id, CgroupId parent, std::string_view name) {
  const auto above = state_.nodes.find(parent);
  const sys::Hierarchy* hierarchy = hierarchy_of(id);
  if (above == state_.nodes.end() || hierarchy == nullptr || state_.nodes.contains(id)) {
    return {};
  }
  const std::string path = sys::join_path(above->second.path, name);
  // The event may be old: the cgroup may be gone, or its name may belong to another one.
  if (sys::cgroup_id(*root_, *hierarchy, path).value_or(CgroupId{}) != id) {
    return {};
  }
  return add(*hierarchy, read_reported(*hierarchy, path, id), state_);
}

TreeAnswer CgroupTree::removed(CgroupId id) {
  const auto found = state_.nodes.find(id);
  if (found == state_.nodes.end()) {
    return {};
  }
  const Node node = std::move(found->second);
  state_.nodes.erase(found);
  return forget(node, id);
}

TreeAnswer CgroupTree::forget(const Node& node, CgroupId id) {
  if (id == state_.pod_root_id) {
    state_.pod_root.clear();
    state_.pod_root_id = {};
    return {TreeChange::kRootChanged, ""};
  }
  const auto found = state_.pods.find(node.uid);
  if (found == state_.pods.end()) {
    return {};
  }
  PodCgroup& pod = found->second;
  if (pod.memory_id == id) {
    state_.pods.erase(found);
    TreeAnswer other = adopt_other_place(node.uid, id);
    return other.change == TreeChange::kIrrelevant ? TreeAnswer{TreeChange::kPodRemoved, node.uid}
                                                   : other;
  }
  if (pod.pids_id == id) {
    pod.pids_id = {};
    return {TreeChange::kPodChanged, node.uid};
  }
  const auto containers = std::erase_if(
      pod.containers, [&](const ContainerCgroup& container) { return container.memory_id == id; });
  if (containers > 0) {
    return {TreeChange::kContainerRemoved, node.uid};
  }
  const bool is_inside = node.path != pod.path && node.path.starts_with(pod.path);
  return is_inside ? TreeAnswer{TreeChange::kPodChanged, node.uid} : TreeAnswer{};
}

TreeAnswer CgroupTree::populated_changed(CgroupId id, bool populated) {
  const auto found = state_.nodes.find(id);
  if (found == state_.nodes.end() || found->second.uid.empty()) {
    return {};
  }
  const Node node = found->second;
  const auto pod = state_.pods.find(node.uid);
  const bool nobody_known = pod == state_.pods.end() || !pod->second.populated;
  if (pod == state_.pods.end() || pod->second.memory_id != id) {
    return populated && nobody_known ? adopt_place(node.path, id) : TreeAnswer{};
  }
  if (std::exchange(pod->second.populated, populated) == populated) {
    return {};
  }
  // Cgroups at the pod's other place were ignored while this one had processes.
  TreeAnswer other = populated ? TreeAnswer{} : adopt_other_place(node.uid, id);
  return other.change == TreeChange::kIrrelevant ? TreeAnswer{TreeChange::kPodChanged, node.uid}
                                                 : other;
}

TreeAnswer CgroupTree::adopt_place(const std::string& path, CgroupId id) {
  if (id.hierarchy != layout_.memory().id ||
      sys::cgroup_id(*root_, layout_.memory(), path).value_or(CgroupId{}) != id) {
    return {};
  }
  const Found found = read_reported(layout_.memory(), path, id);
  if (found.place.kind != PlaceKind::kPod) {
    return {};
  }
  TreeAnswer taken = add_pod(found, state_);
  if (taken.change != TreeChange::kIrrelevant) {
    // Known so far, but not as containers of a pod.
    std::erase_if(state_.nodes, [&](const auto& item) {
      return item.first.hierarchy == id.hierarchy && item.second.path.starts_with(path + "/");
    });
    if (const Result<sys::Directory> opened =
            sys::Directory::open(*root_, layout_.memory().path_of(path))) {
      scan_below(layout_.memory(), {.directory = *opened, .path = path, .depth = 0},
                 entries_in(*opened), state_);
    }
  }
  return taken;
}

TreeAnswer CgroupTree::adopt_other_place(const std::string& uid, CgroupId known) {
  std::vector<std::pair<CgroupId, std::string>> others;
  for (const auto& [id, node] : state_.nodes) {
    if (node.uid == uid && id != known) {
      others.emplace_back(id, node.path);
    }
  }
  for (const auto& [id, path] : others) {
    TreeAnswer taken = adopt_place(path, id);
    if (taken.change != TreeChange::kIrrelevant) {
      return taken;
    }
  }
  return {};
}

std::vector<const PodCgroup*> CgroupTree::pods() const {
  std::vector<const PodCgroup*> pods;
  pods.reserve(state_.pods.size());
  std::transform(state_.pods.begin(), state_.pods.end(), std::back_inserter(pods),
                 [](const auto& entry) { return &entry.second; });
  std::sort(pods.begin(), pods.end(), [](const PodCgroup* a, const PodCgroup* b) {
    return std::tie(a->memory_id, a->uid) < std::tie(b->memory_id, b->uid);
  });
  return pods;
}

const PodCgroup* CgroupTree::find(std::string_view uid) const {
  const auto found = state_.pods.find(uid);
  return found == state_.pods.end() ? nullptr : &found->second;
}

const PodCgroup* CgroupTree::find(CgroupId id) const {
  const auto node = state_.nodes.find(id);
  return node == state_.nodes.end() ? nullptr : find(node->second.uid);
}

const sys::Hierarchy* CgroupTree::hierarchy_of(CgroupId id) const {
  if (id.hierarchy == layout_.memory().id) {
    return &layout_.memory();
  }
  return layout_.pids() && id.hierarchy == layout_.pids()->id ? &*layout_.pids() : nullptr;
}

}  // namespace evictd::cluster
