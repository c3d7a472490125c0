// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_places.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "evictd/try.h"

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

/// The containers directly in the pod's cgroup.
std::vector<std::string> names_of_containers(const cluster::PodCgroup& pod) {
  std::vector<std::string> names;
  for (const cluster::ContainerCgroup& container : pod.containers) {
    const std::string_view name = below(pod.path, container.path);
    if (!name.empty() && name.find('/') == std::string_view::npos) {
      names.emplace_back(name);
    }
  }
  return names;
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

Result<> PodPlaces::open(const Wanted& wanted) {
  pod_root_ = wanted.pod_root;
  if (!pod_root_.empty()) {
    places_.try_emplace(pod_root_);
  }
  for (const cluster::ExternalPodRule& rule : wanted.external) {
    parents_.insert(fixed_parent(rule.glob));
    places_.try_emplace(fixed_parent(rule.glob));
  }
  std::vector<std::string> awaited(parents_.begin(), parents_.end());
  awaited.insert(awaited.end(), wanted.pod_roots.begin(), wanted.pod_roots.end());
  watch_ = base::PathWatch(in_hierarchies(awaited));
  for (auto& [path, place] : places_) {
    EVICTD_ASSIGN_OR_RETURN(Roots opened, open_in_all(path));
    EVICTD_TRY(replace_roots(place, std::move(opened)));
  }
  return {};
}

std::vector<std::string> PodPlaces::in_hierarchies(const std::vector<std::string>& paths) const {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    all.push_back(layout_.memory().path_of(path));
    if (has_pids_apart()) {
      all.push_back(layout_.pids()->path_of(path));
    }
  }
  return all;
}

std::vector<std::string> PodPlaces::follow(const std::string& pod_root) {
  std::vector<std::string> others;
  if (const std::string before = std::exchange(pod_root_, pod_root);
      before != pod_root && !before.empty() && !parents_.contains(before)) {
    places_.erase(before);
    others.push_back(before);
  }
  if (!pod_root.empty()) {
    places_.try_emplace(pod_root);
  }
  for (auto& [path, place] : places_) {
    Result<Roots> now = open_in_all(path);
    if (!now) {
      continue;
    }
    place.refused.reset();
    if (same(place.roots, *now)) {
      continue;
    }
    const bool was_open = !place.roots.empty();
    const Result<> taken = replace_roots(place, std::move(*now));
    if (!taken) {
      place.refused = taken.error();
    }
    if (was_open || taken) {
      others.push_back(path);
    }
  }
  return others;
}

bool PodPlaces::changed(std::string_view pod_root) const {
  return pod_root != pod_root_ ||
         std::any_of(places_.begin(), places_.end(), [&](const auto& item) {
           const Result<Roots> now = open_in_all(item.first);
           return now && (item.second.refused || !same(item.second.roots, *now));
         });
}

Result<> PodPlaces::replace_roots(Place& place, Roots now) const {
  const bool is_locked =
      !place.roots.empty() && !now.empty() && place.roots.front().id() == now.front().id();
  if (!is_locked) {
    place.roots.clear();
    place.lock.reset();
  }
  if (!is_locked && !now.empty()) {
    EVICTD_ASSIGN_OR_RETURN(InstanceLock lock,
                            InstanceLock::acquire({.lock_directory = lock_directory_,
                                                   .cgroup = now.front().id(),
                                                   .directory = now.front().directory()}));
    place.lock.emplace(std::move(lock));
  }
  place.roots = std::move(now);
  return {};
}

bool PodPlaces::is_refused(std::string_view path) const {
  const auto found = places_.find(path);
  return found != places_.end() && found->second.refused.has_value();
}

std::vector<Error> PodPlaces::problems() const {
  std::vector<Error> problems;
  for (const auto& [path, place] : places_) {
    if (place.refused) {
      problems.push_back(*place.refused);
      problems.back().context += ", continuing without the pods in it";
    }
  }
  if (watch_.problem()) {
    problems.push_back(*watch_.problem());
    problems.back().context += ", continuing with a scan of directories of pods every pollInterval";
  }
  return problems;
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
  if (has_pids_apart()) {
    Result<enforce::PodRoot> pids =
        open_one(*layout_.pids(), kind_of(*layout_.pids(), enforce::HierarchyKind::kV1Pids));
    if (pids) {
      opened.push_back(std::move(*pids));
    } else if (pids.error().code != Errc::kNotFound) {
      // Pods without a pids cgroup are not counted by a pids controller, but may be evicted.
      return Failure(pids.error());
    }
  }
  return opened;
}

std::vector<CgroupId> PodPlaces::ids() const {
  std::vector<CgroupId> ids;
  for (const auto& [path, place] : places_) {
    for (const enforce::PodRoot& root : place.roots) {
      ids.push_back(root.id());
    }
  }
  return ids;
}

CgroupId PodPlaces::pids_id(std::string_view path) const {
  const auto found = places_.find(path);
  if (found == places_.end()) {
    return {};
  }
  const Roots& roots = found->second.roots;
  const auto root = std::find_if(roots.begin(), roots.end(), [](const enforce::PodRoot& one) {
    return one.kind() == enforce::HierarchyKind::kV1Pids;
  });
  return root == roots.end() ? CgroupId{} : root->id();
}

PodPlaces::Below PodPlaces::find(const cluster::PodCgroup& pod) const {
  for (const auto& [path, place] : places_) {
    const std::string_view relative = below(path, pod.path);
    if (!relative.empty() && !place.roots.empty()) {
      return {.roots = &place.roots, .path = std::string(relative)};
    }
  }
  return {};
}

Result<sys::CgroupFiles> PodPlaces::open_files(const sys::Root& root,
                                               const cluster::PodCgroup& pod) const {
  const Below found = find(pod);
  const bool is_apart = has_pids_apart();
  if (found.roots == nullptr || (is_apart && found.roots->size() == 1)) {
    return sys::CgroupFiles::open(root, layout_, pod.path);
  }
  const int pids = layout_.pids() ? found.roots->back().fd() : -1;
  return sys::CgroupFiles::open_below(
      {.memory = found.roots->front().fd(), .version = layout_.memory().version, .pids = pids},
      found.path);
}

Result<base::Fd> PodPlaces::open_directory(const sys::Root& root, const sys::Hierarchy& hierarchy,
                                           const cluster::PodCgroup& pod) const {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY;
  const Below found = find(pod);
  if (found.roots != nullptr) {
    for (const enforce::PodRoot& one : *found.roots) {
      if (one.id().hierarchy == hierarchy.id) {
        base::Fd fd(::openat(one.fd(), found.path.c_str(), kFlags | O_NOFOLLOW | O_CLOEXEC));
        return fd ? Result<base::Fd>(std::move(fd)) : fail_errno(errno, "open " + pod.path);
      }
    }
  }
  return root.open_file(hierarchy.path_of(pod.path), kFlags);
}

std::optional<enforce::OwnCgroups> PodPlaces::find_own(const sys::Root& root) const {
  std::vector<sys::Hierarchy> hierarchies{layout_.memory()};
  if (has_pids_apart()) {
    hierarchies.push_back(*layout_.pids());
  }
  return enforce::OwnCgroups::find(root, hierarchies);
}

Result<std::unique_ptr<enforce::KillTarget>> PodPlaces::open_target(
    const cluster::PodCgroup& pod, const TargetOptions& wanted) const {
  const Below found = find(pod);
  if (found.roots == nullptr) {
    return fail(Errc::kInvalid, pod.path + " is below no directory of pods");
  }
  enforce::KillTarget::Options options{.uid = pod.uid,
                                       .protection = wanted.protection,
                                       .places = {},
                                       .id = pod.memory_id,
                                       .children = names_of_containers(pod),
                                       .preparation = wanted.preparation,
                                       .usage_fd = wanted.usage_fd,
                                       .keep_memory_high = wanted.keep_memory_high,
                                       .own = wanted.own};
  for (const enforce::PodRoot& root : *found.roots) {
    options.places.push_back({.root = &root, .path = found.path});
  }
  return enforce::KillTarget::open(options);
}

}  // namespace evictd::daemon
