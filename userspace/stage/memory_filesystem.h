// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "evictd/result.h"

namespace evictd::stage {

/// A private tmpfs, as the kubelet mounts for an emptyDir of medium Memory. A file is charged to
/// the writer's cgroup as long as it exists. The destructor unmounts it; with own_mount_namespace()
/// it is also unmounted when this process is killed.
class MemoryFilesystem {
 public:
  /// Creates `path` and mounts on it. Errors: those of mount(2).
  static Result<MemoryFilesystem> create(const std::filesystem::path& path);

  MemoryFilesystem(const MemoryFilesystem&) = delete;
  MemoryFilesystem& operator=(const MemoryFilesystem&) = delete;
  MemoryFilesystem(MemoryFilesystem&& other) noexcept;
  MemoryFilesystem& operator=(MemoryFilesystem&& other) noexcept;
  ~MemoryFilesystem();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Unmounts as the kubelet does at a pod's end: the content is freed, unless a process has it
  /// open.
  void unmount();

 private:
  explicit MemoryFilesystem(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace evictd::stage
