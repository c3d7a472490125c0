// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "crossing/plan.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::bench {

/// Sizes of every trial. A hog is at most 1.2 GiB and always below the limit. So no trial reaches
/// the kernel's OOM killer, whatever the killer does.
inline constexpr Bytes kRunUp = 256_MiB;          ///< From rest to the threshold.
inline constexpr Bytes kPodRootLimit = 1280_MiB;  ///< 1 GiB above the threshold.
inline constexpr Bytes kHogCap = 1200_MiB;

/// The place of the trials: the private tree, a scratch directory, and the watched cgroups.
struct Ground {
  stage::PrivateTree tree;
  stage::ScratchDirectory scratch;
  std::filesystem::path evictd;
  std::filesystem::path evict_load;

  /// Errors: those of creating the tree, the directory and the limit.
  static Result<Ground> create(const std::filesystem::path& programs);

  /// The memory cgroup directory that a reference consumer watches: the pod root's, or the root's.
  [[nodiscard]] std::filesystem::path watched_directory(Target target) const;
};

/// A cgroup's working set, read from its files.
struct WorkingSet {
  Bytes usage;
  Bytes inactive_file;
  [[nodiscard]] Bytes value() const { return usage - inactive_file; }
};
[[nodiscard]] Result<WorkingSet> read_working_set(const Ground& ground, Target target);

}  // namespace evictd::bench
