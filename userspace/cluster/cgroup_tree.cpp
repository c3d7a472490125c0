// SPDX-License-Identifier: Apache-2.0
#include "cluster/cgroup_tree.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace evictd::cluster {

namespace {

/// A container may make cgroups of its own; deeper ones than these are not followed.
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

}  // namespace

CgroupTree::CgroupTree(const sys::Root& root, sys::CgroupLayout layout, PlaceRules rules)
    : root_(&root), layout_(std::move(layout)), rules_(std::move(rules)) {}

Result<CgroupTree> CgroupTree::create(const sys::Root& root, sys::CgroupLayout layout,
                                      PlaceOptions options) {
  Result<PlaceRules> rules = PlaceRules::create(std::move(options));
  if (!rules) {
    return Failure(rules.error());
  }
  return CgroupTree(root, std::move(layout), std::move(*rules));
}

void CgroupTree::find_root() {
  State state;
  find_pod_root(state);
  state_ = std::move(state);
}

Result<> CgroupTree::scan() {
  State state;
  find_pod_root(state);
  // Memory first: it makes the pods, the other hierarchy only adds to them.
  if (Result<> scanned = scan_hierarchy(layout_.memory(), state); !scanned) {
    return scanned;
  }
  if (layout_.pids() && layout_.pids() != layout_.memory()) {
    if (Result<> scanned = scan_hierarchy(*layout_.pids(), state); !scanned) {
      return scanned;
    }
  }
  state_ = std::move(state);
  return {};
}

void CgroupTree::find_pod_root(State& state) const {
  for (const std::string& candidate : rules_.pod_roots()) {
    const Result<CgroupId> id = sys::cgroup_id(*root_, layout_.memory(), candidate);
    if (!id) {
      continue;
    }
    // A kubelet that changed its driver leaves the old root behind, empty.
    const bool populated = sys::is_populated(*root_, layout_.memory(), candidate).value_or(false);
    if (populated || state.pod_root.empty()) {
      state.pod_root = candidate;
      state.pod_root_id = *id;
    }
    if (populated) {
      return;
    }
  }
}

Result<> CgroupTree::scan_hierarchy(const sys::Hierarchy& hierarchy, State& state) const {
  const Result<CgroupId> top = sys::cgroup_id(*root_, hierarchy, "/");
  if (!top) {
    return fail_in("scan the cgroup tree", top.error());
  }
  state.nodes.insert_or_assign(*top, Node{"/", ""});
  scan_below(hierarchy, "/", 0, state);
  return {};
}

void CgroupTree::scan_below(const sys::Hierarchy& hierarchy, const std::string& path, int depth,
                            State& state) const {
  const Result<std::vector<std::string>> names = root_->directories_in(hierarchy.path_of(path));
  // A cgroup that vanished meanwhile has nothing below it.
  if (!names || depth >= kDeepest) {
    return;
  }
  for (const std::string& name : *names) {
    const std::string child = sys::join_path(path, name);
    if (rules_.place_of(child, state.pod_root).kind == PlaceKind::kNowhere) {
      continue;
    }
    if (const Result<sys::CgroupLook> look = sys::look_at_cgroup(*root_, hierarchy, child)) {
      static_cast<void>(add(hierarchy, child, look->id, state));
      if (look->may_have_children) {
        scan_below(hierarchy, child, depth + 1, state);
      }
    }
  }
}

TreeAnswer CgroupTree::add(const sys::Hierarchy& hierarchy, const std::string& path, CgroupId id,
                           State& state) const {
  const Place place = rules_.place_of(path, state.pod_root);
  if (place.kind == PlaceKind::kNowhere) {
    return {};
  }
  const bool is_known = !state.nodes.insert_or_assign(id, Node{path, place.pod.uid}).second;
  if (is_known || place.kind == PlaceKind::kOnTheWay) {
    return {};
  }
  const bool is_memory = hierarchy == layout_.memory();
  if (place.kind == PlaceKind::kPodRoot) {
    const bool is_news = is_memory && id != state.pod_root_id;
    return {is_news ? TreeChange::kRootChanged : TreeChange::kIrrelevant, ""};
  }
  if (place.kind == PlaceKind::kPod && is_memory) {
    return add_pod(path, place, id, state);
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
    add_container(pod->second, {place.container_id, path, id});
    return {TreeChange::kContainerAdded, place.pod.uid};
  }
  return {TreeChange::kPodChanged, place.pod.uid};
}

TreeAnswer CgroupTree::add_pod(const std::string& path, const Place& place, CgroupId id,
                               State& state) const {
  PodCgroup pod;
  pod.uid = place.pod.uid;
  pod.qos = place.pod.qos;
  pod.driver = place.pod.driver;
  pod.path = path;
  pod.memory_id = id;
  pod.external_rule = place.rule;
  pod.populated = sys::is_populated(*root_, layout_.memory(), path).value_or(false);
  if (layout_.pids()) {
    pod.pids_id = sys::cgroup_id(*root_, *layout_.pids(), path).value_or(CgroupId{});
  }
  const auto known = state.pods.find(pod.uid);
  // One uid at two places: a leftover. Whoever has processes counts.
  if (known != state.pods.end() && known->second.path != path &&
      (known->second.populated || !pod.populated)) {
    return {};
  }
  state.pods.insert_or_assign(pod.uid, std::move(pod));
  return {TreeChange::kPodAdded, place.pod.uid};
}

TreeAnswer CgroupTree::created(CgroupId id, CgroupId parent, std::string_view name) {
  const auto above = state_.nodes.find(parent);
  const sys::Hierarchy* hierarchy = hierarchy_of(id);
  if (above == state_.nodes.end() || hierarchy == nullptr || state_.nodes.contains(id)) {
    return {};
  }
  const std::string path = sys::join_path(above->second.path, name);
  // The event may be old: the cgroup may be gone, or another one may have its name by now.
  if (sys::cgroup_id(*root_, *hierarchy, path).value_or(CgroupId{}) != id) {
    return {};
  }
  return add(*hierarchy, path, id, state_);
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
    TreeAnswer other = take_other_place(node.uid, id);
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
    return populated && nobody_known ? take_place(node.path, id) : TreeAnswer{};
  }
  if (std::exchange(pod->second.populated, populated) == populated) {
    return {};
  }
  // What came to the pod's other place while this one had processes was not taken.
  TreeAnswer other = populated ? TreeAnswer{} : take_other_place(node.uid, id);
  return other.change == TreeChange::kIrrelevant ? TreeAnswer{TreeChange::kPodChanged, node.uid}
                                                 : other;
}

TreeAnswer CgroupTree::take_place(const std::string& path, CgroupId id) {
  const Place place = rules_.place_of(path, state_.pod_root);
  if (place.kind != PlaceKind::kPod || id.hierarchy != layout_.memory().id ||
      sys::cgroup_id(*root_, layout_.memory(), path).value_or(CgroupId{}) != id) {
    return {};
  }
  TreeAnswer taken = add_pod(path, place, id, state_);
  if (taken.change != TreeChange::kIrrelevant) {
    // Known so far, but as nobody's containers.
    std::erase_if(state_.nodes, [&](const auto& item) {
      return item.first.hierarchy == id.hierarchy && item.second.path.starts_with(path + "/");
    });
    scan_below(layout_.memory(), path, 0, state_);
  }
  return taken;
}

TreeAnswer CgroupTree::take_other_place(const std::string& uid, CgroupId known) {
  std::vector<std::pair<CgroupId, std::string>> others;
  for (const auto& [id, node] : state_.nodes) {
    if (node.uid == uid && id != known) {
      others.emplace_back(id, node.path);
    }
  }
  for (const auto& [id, path] : others) {
    TreeAnswer taken = take_place(path, id);
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
