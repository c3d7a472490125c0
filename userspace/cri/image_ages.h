// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime_objects.h"
#include "evictd/time.h"

namespace evictd::cri {

/// Whether a container, running or dead, was created from the image.
[[nodiscard]] bool uses(const Container& container, const Image& image);

/// Tracks when each image was first seen and last used by a container. A runtime reports neither.
/// Pure.
class ImageAges {
 public:
  struct Age {
    MonoTime first_seen{};
    /// nullopt: not used since it was first seen.
    std::optional<MonoTime> last_used;
  };

  /// Takes the current state; forgets images that are not in it.
  void update(const std::vector<Image>& images, const std::vector<Container>& containers,
              MonoTime now);
  /// By id.
  [[nodiscard]] const std::map<std::string, Age>& ages() const { return ages_; }

 private:
  std::map<std::string, Age> ages_;
};

}  // namespace evictd::cri
