// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"

namespace evictd::stage {

enum class CgroupVersion { kV1, kV2 };

/// Where the controllers that a stage needs are mounted. Read by code of its own: what the stage
/// claims must not rest on the code that it judges.
struct Hierarchies {
  CgroupVersion version = CgroupVersion::kV2;
  /// The same directory on v2.
  std::filesystem::path memory;
  std::filesystem::path pids;

  /// Of several mounts of a controller one of the whole hierarchy, and of these the first at or
  /// below /sys/fs/cgroup. `root` stands for "/"; the answer does not have it.
  /// Source: /proc/self/mountinfo.
  /// Errors: kUnsupported without a memory and a pids controller.
  static Result<Hierarchies> detect(const std::filesystem::path& root = "/");

  /// The distinct directories: one on v2, two on v1.
  [[nodiscard]] bool unified() const { return version == CgroupVersion::kV2; }
  /// Name of the file of a cgroup that holds its charged bytes.
  [[nodiscard]] const char* usage_file() const;
  [[nodiscard]] const char* memory_limit_file() const;
};

}  // namespace evictd::stage
