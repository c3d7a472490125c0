// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"

namespace evictd::stage {

enum class CgroupVersion { kV1, kV2 };

/// The mounts of the controllers that a stage needs. Parsed by separate code: the stage's claims
/// must not depend on the code that it tests.
struct Hierarchies {
  CgroupVersion version = CgroupVersion::kV2;
  /// Both are the same directory on v2.
  std::filesystem::path memory;
  std::filesystem::path pids;

  /// Of several mounts of a controller it takes one of the whole hierarchy, and of these the first
  /// at or below /sys/fs/cgroup. `root` stands for "/"; the results omit it.
  /// Source: /proc/self/mountinfo.
  /// Errors: kUnsupported without a memory and a pids controller.
  static Result<Hierarchies> detect(const std::filesystem::path& root = "/");

  /// The distinct directories: one on v2, two on v1.
  [[nodiscard]] bool unified() const { return version == CgroupVersion::kV2; }
  /// Name of the cgroup file with the charged bytes.
  [[nodiscard]] const char* usage_file() const;
  [[nodiscard]] const char* memory_limit_file() const;
};

}  // namespace evictd::stage
