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

/// What a removal of several things came to. One that fails does not hold up the others.
struct Reclaimed {
  std::uint64_t containers = 0;
  std::uint64_t sandboxes = 0;
  std::uint64_t images = 0;
  /// As the runtime has the images' sizes; layers that others share are counted too.
  std::uint64_t image_bytes = 0;
  std::uint64_t failures = 0;
  /// Of the first of these; empty for none.
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
  /// How full the filesystem of a directory is.
  std::function<Result<Space>(const std::string& place)> read_space;
};

/// Removes unused images one by one, until the filesystem that they are on has room enough: by its
/// own numbers, or for bytes by the sizes of what was removed, because a runtime may free them
/// later. Errors: those of the lists and of `read_space`.
[[nodiscard]] Result<Reclaimed> reclaim_images(RuntimeClient& runtime,
                                               const ImageQuestion& question);

}  // namespace evictd::cri
