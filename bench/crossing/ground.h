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

/// Amounts of every trial. A hog is at most 1.2 GiB, and always below the limit, so that no trial
/// can reach the kernel's OOM killer whatever its killer does.
inline constexpr Bytes kRunUp = 256_MiB;          ///< From rest to the threshold.
inline constexpr Bytes kPodRootLimit = 1280_MiB;  ///< 1 GiB above the threshold.
inline constexpr Bytes kHogCap = 1200_MiB;

/// Where trials happen: the private tree, a scratch directory, and what is watched there.
struct Ground {
  stage::PrivateTree tree;
  stage::ScratchDirectory scratch;
  std::filesystem::path evictd;
  std::filesystem::path evict_load;

  /// Errors: those of making the tree, the directory and the limit.
  static Result<Ground> create(const std::filesystem::path& programs);

  /// The memory directory that a reference consumer watches: of the pod root, or the root itself.
  [[nodiscard]] std::filesystem::path watched_directory(Target target) const;
};

/// One cgroup's working set as its files tell it.
struct WorkingSet {
  Bytes usage;
  Bytes inactive_file;
  [[nodiscard]] Bytes value() const { return usage - inactive_file; }
};
[[nodiscard]] Result<WorkingSet> read_working_set(const Ground& ground, Target target);

}  // namespace evictd::bench
