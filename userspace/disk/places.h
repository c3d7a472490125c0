// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eviction/disk_layout.h"
#include "eviction/filesystem_role.h"
#include "eviction/signal.h"
#include "sys/mount_table.h"

namespace evictd::disk {

using Role = eviction::FilesystemRole;
inline constexpr std::size_t kRoles = eviction::kFilesystemRoles;
inline constexpr const std::array<Role, kRoles>& kAllRoles = eviction::kAllFilesystemRoles;
using eviction::counts_inodes;
using eviction::role_of;
using eviction::to_string;

/// Where a role's filesystem is.
struct Place {
  /// The directory that stands for the role.
  std::string path;
  /// The key of the configuration that named it, or "detected".
  std::string origin;
  std::string mount_point;
  /// Whether the directory is there, or answers; else the mount is the one that it would be on.
  bool found = true;
  /// As sys::Mount has it: tells filesystems apart.
  std::string device;
  std::string type;
};

/// By Role.
using Places = std::array<Place, kRoles>;

/// What the name of one of container_runtime_roots has behind it where writable layers are
/// elsewhere: "ROOT.containers" beside "ROOT". evictd-kube makes both as links to where the runtime
/// says.
inline constexpr const char* kLayersSuffix = ".containers";

/// Where to look. Empty paths are not configured.
struct PlaceOptions {
  std::string node_fs_path;
  std::string image_fs_path;
  std::string container_fs_path;
  std::string kubelet_root_directory;
  /// In the order in which they are looked for; the first that exists is the runtime's.
  std::vector<std::string> container_runtime_roots;
};

/// What is known of the machine. `resolve` follows symbolic links of a path; it answers nothing for
/// one that does not exist.
struct Machine {
  const std::vector<sys::Mount>& mounts;
  std::function<std::optional<std::string>(const std::string&)> resolve;
};

/// Finds the three. Without a configured path nodefs holds the kubelet's root directory, imagefs
/// the container runtime's, or is nodefs where there is none; containerfs is what is beside that
/// root for it (kLayersSuffix), or else imagefs.
[[nodiscard]] Places find_places(const PlaceOptions& options, const Machine& machine);

/// Those that the configuration names and that were not found; where a directory that evictd itself
/// expects is not there, nothing is amiss.
[[nodiscard]] std::vector<Place> missing_places(const Places& places);

/// Images on another device than nodefs; writable layers on another one than images.
[[nodiscard]] eviction::DiskLayout layout_of(const Places& places);

}  // namespace evictd::disk
