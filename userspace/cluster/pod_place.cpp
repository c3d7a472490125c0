// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_place.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "evictd/try.h"
#include "sys/mount_table.h"
#include "sys/root.h"

namespace evictd::cluster {

namespace {

/// Whether `path` is `top` or below it.
bool is_within(std::string_view path, std::string_view top) {
  return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

Result<> check_path(std::string_view path, std::string_view what) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::kInvalid, std::string(what) + " '" + std::string(path) + "': " +
                                    std::string(why) + "; allowed: a path like /system.slice/x");
  };
  if (!path.starts_with('/')) {
    return refuse("does not begin with '/'");
  }
  for (const std::string_view part : sys::split(path, '/')) {
    if (part == "." || part == "..") {
      return refuse("has a part '" + std::string(part) + "'");
    }
  }
  return {};
}

/// systemd's path of the slice with these nested names: a, b are a.slice/a-b.slice.
std::string slice_path(const std::vector<std::string_view>& names) {
  std::string path;
  std::string slice;
  for (const std::string_view name : names) {
    std::string escaped(name);
    std::replace(escaped.begin(), escaped.end(), '-', '_');
    slice += (slice.empty() ? "" : "-") + escaped;
    path += "/" + slice + ".slice";
  }
  return path;
}

/// Which part of a glob a path matches.
enum class GlobMatch { kNone, kBeginning, kWhole };

GlobMatch match(const std::vector<std::string_view>& parts, std::string_view glob) {
  const std::vector<std::string_view> patterns = sys::split(glob, '/');
  if (parts.size() > patterns.size()) {
    return GlobMatch::kNone;
  }
  // A backslash is literal: systemd has it in names.
  constexpr int kFlags = FNM_PERIOD | FNM_NOESCAPE;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string pattern(patterns[i]);
    const std::string part(parts[i]);
    if (::fnmatch(pattern.c_str(), part.c_str(), kFlags) != 0) {
      return GlobMatch::kNone;
    }
  }
  return parts.size() == patterns.size() ? GlobMatch::kWhole : GlobMatch::kBeginning;
}

/// The place of a cgroup below the pod at `pod_path`.
Place place_in_pod(std::string_view path, Place pod) {
  if (path.size() == pod.pod_path.size()) {
    return pod;
  }
  pod.kind = PlaceKind::kInside;
  if (parent_of(path) == pod.pod_path && !pod.rule) {
    if (std::optional<std::string> id = parse_container_name(leaf_of(path))) {
      pod.kind = PlaceKind::kContainer;
      pod.container_id = std::move(*id);
    }
  }
  return pod;
}

}  // namespace

Result<PlaceRules> PlaceRules::create(PlaceOptions options) {
  std::string& root = options.cgroup_root;
  if (!root.empty()) {
    EVICTD_TRY(check_path(root, "cgroup root"));
    root = sys::join_path(root, "");
  }
  for (ExternalPodRule& rule : options.external_pods) {
    EVICTD_TRY(check_path(rule.glob, "pod glob"));
    if (rule.glob.find('[') != std::string::npos) {
      return fail(
          Errc::kInvalid,
          "pod glob '" + rule.glob + "': has a '['; allowed: a path in which * and ? are patterns");
    }
    if (sys::split(rule.glob, '/').empty()) {
      return fail(Errc::kInvalid, "pod glob '" + rule.glob +
                                      "': the root of a hierarchy cannot be a pod; allowed: a path "
                                      "like /system.slice/x");
    }
  }
  PlaceRules rules(std::move(options));
  rules.add_pod_roots();
  return rules;
}

void PlaceRules::add_pod_roots() {
  const std::string& root = options_.cgroup_root;
  const auto add = [&](CgroupDriver driver, std::string path) {
    if (!options_.driver || *options_.driver == driver) {
      pod_roots_.push_back(std::move(path));
    }
  };
  const bool root_is_slice = root.ends_with(".slice");
  if (is_pod_root_name(leaf_of(root))) {
    add(root_is_slice ? CgroupDriver::kSystemd : CgroupDriver::kCgroupfs, root);
    return;
  }
  add(CgroupDriver::kCgroupfs, root + "/kubepods");
  if (root_is_slice) {
    const std::string_view leaf = leaf_of(root);
    const std::string name(leaf.substr(0, leaf.size() - std::string_view(".slice").size()));
    add(CgroupDriver::kSystemd, root + "/" + name + "-kubepods.slice");
  } else {
    std::vector<std::string_view> names = sys::split(root, '/');
    names.emplace_back("kubepods");
    add(CgroupDriver::kSystemd, slice_path(names));
  }
  if (!root.empty()) {
    // A container with its own systemd, for which that cgroup is the root.
    add(CgroupDriver::kSystemd, root + "/kubepods.slice");
  } else {
    // Clusters in a container run the kubelet below their own cgroup.
    add(CgroupDriver::kCgroupfs, "/kubelet/kubepods");
    add(CgroupDriver::kSystemd, "/kubelet.slice/kubelet-kubepods.slice");
  }
}

Place PlaceRules::place_of(std::string_view path, std::string_view pod_root) const {
  Place place;
  if (!pod_root.empty() && is_within(path, pod_root) && path.size() > pod_root.size()) {
    place = place_in_pod_root(path, pod_root);
  }
  if (place.kind != PlaceKind::kNowhere) {
    return place;
  }
  for (const std::string& candidate : pod_roots_) {
    if (path == candidate) {
      place.kind = PlaceKind::kPodRoot;
      return place;
    }
    if (path == "/" || is_within(candidate, path)) {
      place.kind = PlaceKind::kOnTheWay;
    }
  }
  // No rule may treat a cgroup as a pod that may hold all pods.
  return place.kind == PlaceKind::kOnTheWay ? place : place_by_rule(path);
}

Place PlaceRules::place_in_pod_root(std::string_view path, std::string_view pod_root) const {
  Place place;
  const std::size_t begin = pod_root.size() + 1;
  std::size_t end = std::min(path.find('/', begin), path.size());
  std::string_view parent = leaf_of(pod_root);
  std::string_view name = path.substr(begin, end - begin);
  if (parse_qos_level(name, parent)) {
    if (end == path.size()) {
      place.kind = PlaceKind::kOnTheWay;
      return place;
    }
    parent = name;
    const std::size_t next = end + 1;
    end = std::min(path.find('/', next), path.size());
    name = path.substr(next, end - next);
  }
  std::optional<PodName> pod = parse_pod_name(name, parent);
  if (!pod) {
    return place;
  }
  place.kind = PlaceKind::kPod;
  place.pod = std::move(*pod);
  place.pod_path = path.substr(0, end);
  return place_in_pod(path, std::move(place));
}

Place PlaceRules::place_by_rule(std::string_view path) const {
  Place outermost;
  const std::vector<std::string_view> parts = sys::split(path, '/');
  for (std::size_t i = 0; i < options_.external_pods.size(); ++i) {
    const ExternalPodRule& rule = options_.external_pods[i];
    std::vector<std::string_view> beginning = parts;
    beginning.resize(std::min(sys::split(rule.glob, '/').size(), parts.size()));
    const GlobMatch matched = match(beginning, rule.glob);
    if (matched == GlobMatch::kBeginning && outermost.kind == PlaceKind::kNowhere) {
      outermost.kind = PlaceKind::kOnTheWay;
    }
    if (matched != GlobMatch::kWhole) {
      continue;
    }
    const std::string_view last = beginning.back();
    const auto length = static_cast<std::size_t>(last.data() + last.size() - path.data());
    if (outermost.kind != PlaceKind::kPod || length < outermost.pod_path.size()) {
      outermost.kind = PlaceKind::kPod;
      outermost.rule = i;
      outermost.pod_path = path.substr(0, length);
    }
  }
  if (outermost.kind != PlaceKind::kPod) {
    return outermost;
  }
  outermost.pod.uid = external_uid(outermost.pod_path);
  outermost.pod.qos = options_.external_pods[*outermost.rule].memory_request ? PathQos::kBurstable
                                                                             : PathQos::kBestEffort;
  return place_in_pod(path, std::move(outermost));
}

std::string external_uid(std::string_view path) {
  return "cgroup:" + std::string(path);
}

}  // namespace evictd::cluster
