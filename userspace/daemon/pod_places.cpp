// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_places.h"

#include <algorithm>

namespace evictd::daemon {

namespace {

/// `path` below `root`, without a leading '/'; empty if it is not below it.
std::string_view below(std::string_view root, std::string_view path) {
  if (!path.starts_with(root)) {
    return {};
  }
  path.remove_prefix(root.size());
  if (!path.starts_with('/')) {
    return {};
  }
  path.remove_prefix(1);
  return path;
}

bool same(const std::vector<enforce::PodRoot>& a, const std::vector<enforce::PodRoot>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.id() == other.id(); });
}

enforce::HierarchyKind kind_of(const sys::Hierarchy& hierarchy, enforce::HierarchyKind v1_kind) {
  return hierarchy.version == sys::CgroupVersion::kV2 ? enforce::HierarchyKind::kV2 : v1_kind;
}

}  // namespace

std::string fixed_parent(std::string_view glob) {
  const std::string_view fixed = glob.substr(0, glob.find_first_of("*?["));
  return std::string(fixed.substr(0, fixed.rfind('/')));
}

Result<> PodPlaces::open(std::string_view pod_root,
                         const std::vector<cluster::ExternalPodRule>& external) {
  if (!pod_root.empty()) {
    roots_.try_emplace(std::string(pod_root));
  }
  for (const cluster::ExternalPodRule& rule : external) {
    roots_.try_emplace(fixed_parent(rule.glob));
  }
  for (auto& [path, known] : roots_) {
    Result<Roots> opened = open_in_all(path);
    if (!opened) {
      return Failure(opened.error());
    }
    known = std::move(*opened);
    // A rule for cgroups that are not there yet is no error: their parent may come later.
    if (known.empty() && path == pod_root) {
      return fail(Errc::kNotFound, layout_.memory().path_of(path) + " is gone");
    }
  }
  return {};
}

std::vector<std::string> PodPlaces::follow() {
  std::vector<std::string> others;
  for (auto& [path, known] : roots_) {
    Result<Roots> now = open_in_all(path);
    if (now && !same(known, *now)) {
      known = std::move(*now);
      others.push_back(path);
    }
  }
  return others;
}

bool PodPlaces::changed() const {
  return std::any_of(roots_.begin(), roots_.end(), [&](const auto& item) {
    const Result<Roots> now = open_in_all(item.first);
    return now && !same(item.second, *now);
  });
}

Result<PodPlaces::Roots> PodPlaces::open_in_all(const std::string& path) const {
  const auto open_one = [&](const sys::Hierarchy& hierarchy, enforce::HierarchyKind kind) {
    return enforce::PodRoot::open(
        {.kind = kind, .hierarchy = hierarchy.id, .directory = hierarchy.path_of(path)});
  };
  Roots opened;
  Result<enforce::PodRoot> memory =
      open_one(layout_.memory(), kind_of(layout_.memory(), enforce::HierarchyKind::kV1Memory));
  if (!memory) {
    return memory.error().code == Errc::kNotFound ? Result<Roots>(std::move(opened))
                                                  : Failure(memory.error());
  }
  opened.push_back(std::move(*memory));
  if (layout_.pids() && layout_.pids()->id != layout_.memory().id) {
    Result<enforce::PodRoot> pids =
        open_one(*layout_.pids(), kind_of(*layout_.pids(), enforce::HierarchyKind::kV1Pids));
    if (pids) {
      opened.push_back(std::move(*pids));
    } else if (pids.error().code != Errc::kNotFound) {
      // Pods without a pids cgroup are counted by no pids controller, but may be evicted.
      return Failure(pids.error());
    }
  }
  return opened;
}

std::vector<CgroupId> PodPlaces::ids() const {
  std::vector<CgroupId> ids;
  for (const auto& [path, roots] : roots_) {
    for (const enforce::PodRoot& root : roots) {
      ids.push_back(root.id());
    }
  }
  return ids;
}

CgroupId PodPlaces::pids_id(std::string_view path) const {
  const auto found = roots_.find(path);
  if (found == roots_.end()) {
    return {};
  }
  const auto root = std::find_if(
      found->second.begin(), found->second.end(),
      [](const enforce::PodRoot& one) { return one.kind() == enforce::HierarchyKind::kV1Pids; });
  return root == found->second.end() ? CgroupId{} : root->id();
}

Result<std::unique_ptr<enforce::KillTarget>> PodPlaces::open_target(
    const cluster::PodCgroup& pod, const TargetOptions& wanted) const {
  for (const auto& [path, roots] : roots_) {
    const std::string_view relative = below(path, pod.path);
    if (relative.empty() || roots.empty()) {
      continue;
    }
    enforce::KillTarget::Options options{.uid = pod.uid,
                                         .protection = wanted.protection,
                                         .places = {},
                                         .preparation = wanted.preparation,
                                         .usage_fd = wanted.usage_fd};
    for (const enforce::PodRoot& root : roots) {
      options.places.push_back({.root = &root, .path = std::string(relative)});
    }
    return enforce::KillTarget::open(options);
  }
  return fail(Errc::kInvalid, pod.path + " is below no directory of pods");
}

}  // namespace evictd::daemon
