// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "cri/dead_containers.h"
#include "cri/runtime_client.h"
#include "cri/unused_images.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cri {

/// Result of a batch of removals. A failed removal does not stop the others.
struct Reclaimed {
  std::uint64_t containers = 0;
  std::uint64_t sandboxes = 0;
  std::uint64_t images = 0;
  /// By the runtime's image sizes, which include layers shared with other images.
  std::uint64_t image_bytes = 0;
  std::uint64_t failures = 0;
  /// The first failure's message; empty if there was none.
  std::string first_failure;
};

/// Removes dead containers, and then sandboxes that have none left.
/// Errors: those of the lists.
[[nodiscard]] Result<Reclaimed> reclaim_containers(RuntimeClient& runtime,
                                                   const ContainerPolicy& policy,
                                                   const IsGone& is_gone, WallTime now);

struct ImageQuestion {
  ImagePolicy policy;
  std::map<std::string, ImageIdleness> idleness;
  /// Reads the usage of a directory's filesystem.
  std::function<Result<Space>(const std::string& place)> read_space;
};

/// Removes unused images one by one until their filesystem has enough free space. Measures that by
/// the filesystem's own numbers. For bytes, the sizes of the removed images count as well, because
/// a runtime may free them later. Errors: those of the lists and of `read_space`.
[[nodiscard]] Result<Reclaimed> reclaim_images(RuntimeClient& runtime,
                                               const ImageQuestion& question);

}  // namespace evictd::cri
