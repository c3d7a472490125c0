// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime_objects.h"
#include "evictd/time.h"

namespace evictd::cri {

/// Whether a container, alive or dead, was made from the image.
[[nodiscard]] bool uses(const Container& container, const Image& image);

/// Since when each image is known, and when a container last had it. A runtime tells neither. Pure.
class ImageAges {
 public:
  struct Age {
    MonoTime first_seen{};
    /// Empty: never since it was first seen.
    std::optional<MonoTime> last_used;
  };

  /// What there is now; images that are not in it are forgotten.
  void update(const std::vector<Image>& images, const std::vector<Container>& containers,
              MonoTime now);
  /// By id.
  [[nodiscard]] const std::map<std::string, Age>& ages() const { return ages_; }

 private:
  std::map<std::string, Age> ages_;
};

}  // namespace evictd::cri
