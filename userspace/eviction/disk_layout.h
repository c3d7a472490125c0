// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "eviction/threshold.h"

namespace evictd::eviction {

/// Which filesystems hold images and writable layers.
struct DiskLayout {
  /// Images have a filesystem of their own.
  bool dedicated_image_fs = false;
  /// Writable layers are not on the filesystem of the images. Always false in 1.26.
  bool split_container_fs = false;

  bool operator==(const DiskLayout&) const = default;
};

struct DerivedThresholds {
  /// The whole list: given entries keep their places, derived ones follow.
  std::vector<Threshold> thresholds;
  /// "found containerfs.available for hard eviction. ignoring" if the list named containerfs.
  std::string warning;
};

/// Gives containerfs the thresholds of its filesystem (1.32). Overwrites containerfs thresholds in
/// the list: users cannot set them.
[[nodiscard]] DerivedThresholds derive_containerfs_thresholds(std::vector<Threshold> thresholds,
                                                              DiskLayout layout);

}  // namespace evictd::eviction
