// SPDX-License-Identifier: Apache-2.0
#include "disk/places.h"

#include <algorithm>
#include <iterator>

namespace evictd::disk {

namespace {

using eviction::Signal;

constexpr const char* kRuntimeRoots = "containerRuntimeRoots";

Place place_at(const std::string& path, std::string origin, const Machine& machine) {
  const std::optional<std::string> real = machine.resolve(path);
  Place place{.path = path,
              .origin = std::move(origin),
              .mount_point = "/",
              .found = real.has_value(),
              .device = {},
              .type = {}};
  if (const sys::Mount* mount = sys::mount_of(machine.mounts, real.value_or(path))) {
    place.mount_point = mount->point;
    place.device = mount->device;
    place.type = mount->type;
  }
  return place;
}

Place image_place(const PlaceOptions& options, const Place& node, const Machine& machine) {
  if (!options.image_fs_path.empty()) {
    return place_at(options.image_fs_path, "imagefsPath", machine);
  }
  for (const std::string& root : options.container_runtime_roots) {
    if (machine.resolve(root)) {
      return place_at(root, kRuntimeRoots, machine);
    }
  }
  Place same = node;
  same.origin = "detected";
  return same;
}

Place container_place(const PlaceOptions& options, const Place& image, const Machine& machine) {
  if (!options.container_fs_path.empty()) {
    return place_at(options.container_fs_path, "containerfsPath", machine);
  }
  const std::string layers = image.path + kLayersSuffix;
  if (image.origin == kRuntimeRoots && machine.resolve(layers)) {
    return place_at(layers, kRuntimeRoots, machine);
  }
  Place same = image;
  same.origin = "detected";
  return same;
}

}  // namespace

Places find_places(const PlaceOptions& options, const Machine& machine) {
  Places places;
  Place& node = places[static_cast<std::size_t>(Role::kNodeFs)];
  node = options.node_fs_path.empty()
             ? place_at(options.kubelet_root_directory, "kubeletRootDirectory", machine)
             : place_at(options.node_fs_path, "nodefsPath", machine);
  Place& image = places[static_cast<std::size_t>(Role::kImageFs)];
  image = image_place(options, node, machine);
  places[static_cast<std::size_t>(Role::kContainerFs)] = container_place(options, image, machine);
  return places;
}

std::vector<Place> missing_places(const Places& places) {
  std::vector<Place> missing;
  std::copy_if(places.begin(), places.end(), std::back_inserter(missing),
               [](const Place& place) { return !place.found && place.origin.ends_with("fsPath"); });
  return missing;
}

eviction::DiskLayout layout_of(const Places& places) {
  const auto device = [&](Role role) -> const std::string& {
    return places[static_cast<std::size_t>(role)].device;
  };
  return {.dedicated_image_fs = device(Role::kImageFs) != device(Role::kNodeFs),
          .split_container_fs = device(Role::kContainerFs) != device(Role::kImageFs)};
}

}  // namespace evictd::disk
