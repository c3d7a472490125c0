// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "eviction/threshold.h"

namespace evictd::eviction {

/// Where images and writable layers live.
struct DiskLayout {
  /// Images are on a filesystem of their own.
  bool dedicated_image_fs = false;
  /// Writable layers are not with the images. Always false in 1.26.
  bool split_container_fs = false;

  bool operator==(const DiskLayout&) const = default;
};

struct DerivedThresholds {
  /// The whole list: entries that were given keep their place, derived ones follow.
  std::vector<Threshold> thresholds;
  /// "found containerfs.available for hard eviction. ignoring" if the list named containerfs.
  std::string warning;
};

/// Gives containerfs the thresholds of the filesystem it lives on (1.32). A threshold of
/// containerfs in the list is overwritten: it is never the user's.
[[nodiscard]] DerivedThresholds derive_containerfs_thresholds(std::vector<Threshold> thresholds,
                                                              DiskLayout layout);

}  // namespace evictd::eviction
