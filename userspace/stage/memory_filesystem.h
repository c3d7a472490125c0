// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "evictd/result.h"
#include "stage/private_mount.h"

namespace evictd::stage {

/// A private tmpfs, as the kubelet mounts for an emptyDir of medium Memory. A file is charged to
/// the writer's cgroup as long as it exists.
class MemoryFilesystem : public PrivateMount {
 public:
  /// Creates `path` and mounts on it. Errors: those of mount(2).
  static Result<MemoryFilesystem> create(const std::filesystem::path& path);

 private:
  explicit MemoryFilesystem(std::filesystem::path path) : PrivateMount(std::move(path)) {}
};

}  // namespace evictd::stage
