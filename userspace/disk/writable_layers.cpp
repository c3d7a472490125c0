// SPDX-License-Identifier: Apache-2.0
#include "disk/writable_layers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "sys/mount_table.h"

namespace evictd::disk {

namespace {

/// Processes tried per cgroup: the first may be a zombie.
constexpr std::size_t kMostTried = 8;

/// What a container's processes show.
struct Seen {
  sys::Mount root;
  /// Container name from the kubelet's own mounts; empty without them.
  std::string name;
};

/// The mount at "/"; the last of several, which hides the others.
const sys::Mount* root_of(const std::vector<sys::Mount>& mounts) {
  const auto found = std::find_if(mounts.rbegin(), mounts.rend(),
                                  [](const sys::Mount& mount) { return mount.point == "/"; });
  return found == mounts.rend() ? nullptr : &*found;
}

std::string kubelets_name(const std::vector<sys::Mount>& mounts, std::string_view uid) {
  const std::string before = "/pods/" + std::string(uid) + "/containers/";
  for (const sys::Mount& mount : mounts) {
    const std::size_t at = mount.root.find(before);
    if (at != std::string::npos) {
      const std::size_t start = at + before.size();
      return mount.root.substr(start, mount.root.find('/', start) - start);
    }
  }
  return {};
}

std::vector<sys::Mount> mounts_of(const sys::Root& root, std::string_view pid) {
  return sys::parse_mounts(
      root.read("/proc/" + std::string(pid) + "/mountinfo").value_or(std::string{}));
}

/// Nothing without a process; `complete` becomes false where there are some and none tells.
std::optional<Seen> look(const sys::Root& root, std::string_view uid, const std::string& cgroup,
                         bool& complete) {
  const Result<std::string> procs = root.read(cgroup + "/cgroup.procs");
  if (!procs) {
    complete = complete && procs.error().code == Errc::kNotFound;
    return std::nullopt;
  }
  const std::vector<std::string_view> pids = sys::split(*procs, '\n');
  for (std::size_t i = 0; i < std::min(pids.size(), kMostTried); ++i) {
    const std::vector<sys::Mount> mounts = mounts_of(root, pids[i]);
    if (const sys::Mount* const found = root_of(mounts)) {
      return Seen{.root = *found, .name = kubelets_name(mounts, uid)};
    }
  }
  complete = complete && pids.empty();
  return std::nullopt;
}

std::optional<std::string> upper_directory(const sys::Mount& overlay) {
  constexpr std::string_view kOption = "upperdir=";
  for (const std::string_view option : sys::split(overlay.super_options, ',')) {
    if (option.starts_with(kOption)) {
      return sys::unescape(option.substr(kOption.size()));
    }
  }
  return std::nullopt;
}

}  // namespace

WritableLayers find_writable_layers(const sys::Root& root, std::string_view uid,
                                    std::span<const ContainerPlace> containers) {
  WritableLayers layers;
  if (containers.empty()) {
    return layers;
  }
  const std::vector<sys::Mount> own = mounts_of(root, "self");
  const sys::Mount* const own_root = root_of(own);
  std::vector<std::pair<std::string, Seen>> seen;
  bool named_by_kubelet = false;
  for (const ContainerPlace& place : containers) {
    if (std::optional<Seen> one = look(root, uid, place.cgroup, layers.complete)) {
      named_by_kubelet = named_by_kubelet || !one->name.empty();
      std::string name = place.name.empty() ? one->name : place.name;
      seen.emplace_back(std::move(name), std::move(*one));
    }
  }
  for (auto& [name, one] : seen) {
    const bool ours = own_root != nullptr && own_root->device == one.root.device;
    if (ours || (name.empty() && named_by_kubelet)) {
      continue;
    }
    const bool overlay = one.root.type == "overlay";
    std::optional<std::string> upper = overlay ? upper_directory(one.root) : std::nullopt;
    if (upper && upper->starts_with('/')) {
      layers.all.push_back({.container = std::move(name), .directory = std::move(*upper)});
    } else {
      // An overlay without an upper directory is read-only. A relative path was relative
      // to the runtime.
      layers.complete = layers.complete && overlay && !upper;
    }
  }
  return layers;
}

}  // namespace evictd::disk
