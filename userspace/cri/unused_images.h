// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime_objects.h"
#include "evictd/time.h"

namespace evictd::cri {

/// Which unused images may be removed, and how many.
struct ImagePolicy {
  /// Minimum age, counted from when the image was first seen.
  Duration min_age = std::chrono::minutes(2);
  /// Images are removed until no more than this share of their filesystem is in use. Units:
  /// percent.
  int low_threshold_percent = 80;
};

/// How long an image has been known and unused.
struct ImageIdleness {
  Duration known{};
  /// nullopt: no container used it since it is known.
  std::optional<Duration> unused;
};

/// Images that are never removed, regardless of age.
struct ImageUse {
  std::vector<Container> containers{};
  /// Name of the sandbox image; empty if the runtime does not report it.
  std::string sandbox_image{};
};

/// Unused images in the order of removal: never used ones first, then the least recently used.
/// Among equals, the one known for longest comes first.
/// Excludes pinned images, the sandbox image (also by its name: ".../pause"), and images of a
/// running or dead container. Also excludes images younger than the minimum age; an image of
/// unknown age counts as such. Pure.
[[nodiscard]] std::vector<Image> choose_unused_images(
    const std::vector<Image>& images, const ImageUse& use,
    const std::map<std::string, ImageIdleness>& idleness, const ImagePolicy& policy);

/// Usage of a filesystem. Both inode numbers are 0 if the filesystem allocates inodes dynamically.
struct Space {
  std::int64_t available_bytes = 0;
  std::int64_t capacity_bytes = 0;
  std::int64_t inodes_free = 0;
  std::int64_t inodes = 0;
};

/// What must become free to reach the low threshold; 0 if nothing.
[[nodiscard]] std::int64_t missing_bytes(const Space& space, const ImagePolicy& policy);
[[nodiscard]] std::int64_t missing_inodes(const Space& space, const ImagePolicy& policy);

}  // namespace evictd::cri
