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

/// Which unused images may go, and how many.
struct ImagePolicy {
  /// Since the image was first seen.
  Duration min_age = std::chrono::minutes(2);
  /// Images go until no more than this part of their filesystem is in use. Units: percent.
  int low_threshold_percent = 80;
};

/// For how long an image is known and unused, by its id.
struct ImageIdleness {
  Duration known{};
  /// Empty: no container had it since it is known.
  std::optional<Duration> unused;
};

/// What may not go whatever its age.
struct ImageUse {
  std::vector<Container> containers{};
  /// The name of the image of sandboxes; empty where the runtime does not tell.
  std::string sandbox_image{};
};

/// Images that nobody uses, in the order in which they go: never used ones first, then the one that
/// was used the longest ago, and of those alike the one that is known the longest. None that is
/// pinned, that sandboxes are made of (also by its name: ".../pause"), that a container has, alive
/// or dead, or that is younger than the minimum age, as one is of which nothing is known. Pure.
[[nodiscard]] std::vector<Image> choose_unused_images(
    const std::vector<Image>& images, const ImageUse& use,
    const std::map<std::string, ImageIdleness>& idleness, const ImagePolicy& policy);

/// How full a filesystem is; both of the inodes are 0 where it makes them as it needs them.
struct Space {
  std::int64_t available_bytes = 0;
  std::int64_t capacity_bytes = 0;
  std::int64_t inodes_free = 0;
  std::int64_t inodes = 0;
};

/// What must become free until only the low threshold is in use; 0 for nothing.
[[nodiscard]] std::int64_t missing_bytes(const Space& space, const ImagePolicy& policy);
[[nodiscard]] std::int64_t missing_inodes(const Space& space, const ImagePolicy& policy);

}  // namespace evictd::cri
