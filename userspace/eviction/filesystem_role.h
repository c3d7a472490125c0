// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eviction/signal.h"

namespace evictd::eviction {

/// The kubelet's three filesystems; two or all of them may be the same.
enum class FilesystemRole : std::uint8_t {
  kNodeFs,       ///< Volumes and logs of pods, and the kubelet itself.
  kImageFs,      ///< Images.
  kContainerFs,  ///< Writable layers of containers.
};
inline constexpr std::size_t kFilesystemRoles = 3;
inline constexpr std::array<FilesystemRole, kFilesystemRoles> kAllFilesystemRoles{
    FilesystemRole::kNodeFs, FilesystemRole::kImageFs, FilesystemRole::kContainerFs};

/// "nodefs", "imagefs", "containerfs".
[[nodiscard]] std::string_view to_string(FilesystemRole role);

/// The filesystem that a signal measures; nullopt for memory and pids.
[[nodiscard]] std::optional<FilesystemRole> role_of(Signal signal);
/// Whether the signal counts inodes instead of bytes.
[[nodiscard]] bool counts_inodes(Signal signal);

}  // namespace evictd::eviction
