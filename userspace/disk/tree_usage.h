// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "disk/pace.h"
#include "evictd/result.h"

namespace evictd::disk {

/// What a directory and all below it take up.
struct TreeUsage {
  /// Blocks that are allocated, in bytes.
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
  /// Other mounts that were found below it and left out.
  std::uint64_t mounts = 0;
  /// Entries that went away between being listed and being looked at.
  std::uint64_t vanished = 0;
  /// False: it was given up, or a directory was moved away under it; the rest is missing.
  bool complete = true;
  /// The steps that it was allowed were used up: at least so much is there.
  bool cut_short = false;
};

/// Adds up a tree as the kubelet does: blocks of 512 bytes and inodes, each inode once however many
/// links it has, symbolic links not followed, nothing of another mount, the directory itself
/// included. Holds no more than some thirty descriptors however deep the tree is.
/// Errors: those of open(2) and statx(2) for the directory itself.
[[nodiscard]] Result<TreeUsage> measure_tree(int directory, Pace& pace);

}  // namespace evictd::disk
