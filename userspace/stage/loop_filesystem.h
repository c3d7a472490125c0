// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "stage/private_mount.h"

namespace evictd::stage {

enum class FilesystemType : std::uint8_t { kExt4, kXfs };

struct LoopFilesystemOptions {
  /// A private directory; the mount point is created in it.
  std::filesystem::path directory;
  Bytes size{0};
  /// Approximate number of inodes; xfs creates them on demand.
  std::int64_t inodes = 0;
  /// xfs needs at least 300 MiB, and mkfs.xfs.
  FilesystemType type = FilesystemType::kExt4;
  /// Counts usage by project. Not every kernel supports it; mount then fails.
  bool project_quotas = false;
};

/// How full a filesystem is, by a separate statfs of the stage.
struct Fullness {
  Bytes available{0};
  std::int64_t inodes_free = 0;
};

/// A small private filesystem on a loop device. Its image has no name, and the loop device is
/// released with the mount.
class LoopFilesystem : public PrivateMount {
 public:
  /// Errors: kPermission without root; kNotFound without mount or the mkfs of its type; kIo with
  /// their output, for example if the kernel has no loop devices.
  static Result<LoopFilesystem> create(const LoopFilesystemOptions& options);

  [[nodiscard]] Result<Fullness> fullness() const;

 private:
  explicit LoopFilesystem(std::filesystem::path path) : PrivateMount(std::move(path)) {}
};

/// Gives this process and its children a private mount namespace: others do not see new mounts,
/// which end with the last of these processes. Call while this process has one thread.
[[nodiscard]] Result<> own_mount_namespace();

/// A statfs of `path`. Errors: those of statvfs(3).
[[nodiscard]] Result<Fullness> fullness_of(const std::filesystem::path& path);

}  // namespace evictd::stage
