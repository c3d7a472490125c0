// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "evictd/result.h"

namespace evictd::stage {

/// A tmpfs of our own, as a kubelet mounts one for an emptyDir of medium Memory: what is written to
/// it is charged to the cgroup of the writer for as long as the file is there. Unmounted when the
/// object is destroyed; with own_mount_namespace() also when this process is killed.
class MemoryFilesystem {
 public:
  /// Mounts it on `path`, which is made. Errors: those of mount(2).
  static Result<MemoryFilesystem> create(const std::filesystem::path& path);

  MemoryFilesystem(const MemoryFilesystem&) = delete;
  MemoryFilesystem& operator=(const MemoryFilesystem&) = delete;
  MemoryFilesystem(MemoryFilesystem&& other) noexcept;
  MemoryFilesystem& operator=(MemoryFilesystem&& other) noexcept;
  ~MemoryFilesystem();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The kubelet's part in the end of a pod: what is in it is freed, unless somebody has it open.
  void unmount();

 private:
  explicit MemoryFilesystem(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace evictd::stage
