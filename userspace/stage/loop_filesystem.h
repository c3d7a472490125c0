// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::stage {

enum class FilesystemType : std::uint8_t { kExt4, kXfs };

struct LoopFilesystemOptions {
  /// A directory of ours: the mount point is made in it.
  std::filesystem::path directory;
  Bytes size{0};
  /// Inodes to make, about; xfs makes them as they are needed.
  std::int64_t inodes = 0;
  /// xfs takes 300 MiB at least, and mkfs.xfs.
  FilesystemType type = FilesystemType::kExt4;
  /// It counts what belongs to each project. Not every kernel can, and mount says so.
  bool project_quotas = false;
};

/// How full a filesystem is, by a statfs of the stage's own.
struct Fullness {
  Bytes available{0};
  std::int64_t inodes_free = 0;
};

/// A small filesystem of our own on a loop device. Its image has no name, and the loop device
/// goes with the mount. Unmounted when the object is destroyed; with own_mount_namespace() also
/// when this process is killed.
class LoopFilesystem {
 public:
  /// Errors: kPermission without root; kNotFound without the mkfs of its type or mount; kIo with
  /// what they said, as where the kernel has no loop devices.
  static Result<LoopFilesystem> create(const LoopFilesystemOptions& options);

  LoopFilesystem(const LoopFilesystem&) = delete;
  LoopFilesystem& operator=(const LoopFilesystem&) = delete;
  LoopFilesystem(LoopFilesystem&& other) noexcept;
  LoopFilesystem& operator=(LoopFilesystem&& other) noexcept;
  ~LoopFilesystem();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Result<Fullness> fullness() const;

 private:
  explicit LoopFilesystem(std::filesystem::path path) : path_(std::move(path)) {}
  void unmount();

  std::filesystem::path path_;
};

/// From now on what this process and its children mount is seen by them alone, and is unmounted
/// with the last of them. Call while this process has one thread.
[[nodiscard]] Result<> own_mount_namespace();

/// A statfs of `path`. Errors: those of statvfs(3).
[[nodiscard]] Result<Fullness> fullness_of(const std::filesystem::path& path);

}  // namespace evictd::stage
