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

/// Location of a role's filesystem.
struct Place {
  /// The directory that stands for the role.
  std::string path;
  /// The key of the configuration that named it, or "detected".
  std::string origin;
  std::string mount_point;
  /// Whether the directory exists and answers; else `mount_point` is where it would be.
  bool found = true;
  /// As in sys::Mount; distinguishes filesystems.
  std::string device;
  std::string type;
};

/// By Role.
using Places = std::array<Place, kRoles>;

/// Suffix of the directory with the writable layers if they are not in the runtime root:
/// "ROOT.containers" beside "ROOT". evictd-kube creates both as links to the runtime's directories.
inline constexpr const char* kLayersSuffix = ".containers";

/// Configured paths; empty ones are not configured.
struct PlaceOptions {
  std::string node_fs_path;
  std::string image_fs_path;
  std::string container_fs_path;
  std::string kubelet_root_directory;
  /// In search order; the first one that exists is the runtime's.
  std::vector<std::string> container_runtime_roots;
};

/// Input from the machine. `resolve` follows the symbolic links of a path; nullopt if the path does
/// not exist.
struct Machine {
  const std::vector<sys::Mount>& mounts;
  std::function<std::optional<std::string>(const std::string&)> resolve;
};

/// Finds the three places. Defaults without a configured path: nodefs has the kubelet's root
/// directory. imagefs has the container runtime's root, or is nodefs if there is none. containerfs
/// has the directory beside that root (kLayersSuffix), or is imagefs.
[[nodiscard]] Places find_places(const PlaceOptions& options, const Machine& machine);

/// Configured places that were not found. A missing directory that only evictd expects is no error.
[[nodiscard]] std::vector<Place> missing_places(const Places& places);

/// Derives the layout: images on another device than nodefs; writable layers on another one than
/// images.
[[nodiscard]] eviction::DiskLayout layout_of(const Places& places);

}  // namespace evictd::disk
