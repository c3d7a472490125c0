// SPDX-License-Identifier: Apache-2.0
#include "cri/unused_images.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "cri/image_ages.h"

namespace evictd::cri {

namespace {

/// Whether the last part of the name without the tag is "pause", as in "registry.k8s.io/pause:3.9".
bool is_pause(const std::string& tag) {
  const std::string last = tag.substr(tag.rfind('/') + 1);
  return last.substr(0, last.find(':')) == "pause";
}

bool may_go(const Image& image, const ImageUse& use) {
  Container sandbox;
  sandbox.image = use.sandbox_image;
  return !image.is_pinned && !uses(sandbox, image) && std::ranges::none_of(image.tags, is_pause) &&
         std::ranges::none_of(use.containers,
                              [&](const Container& one) { return uses(one, image); });
}

/// Never used ones first, then the longest unused, then the longest known.
auto rank(const ImageIdleness& idleness) {
  return std::tuple(idleness.unused.has_value(), -idleness.unused.value_or(Duration{}),
                    -idleness.known);
}

std::int64_t missing(std::int64_t capacity, std::int64_t free, const ImagePolicy& policy) {
  constexpr std::int64_t kWhole = 100;
  const std::int64_t to_be_free = capacity / kWhole * (kWhole - policy.low_threshold_percent);
  return std::max<std::int64_t>(0, to_be_free - free);
}

}  // namespace

std::vector<Image> choose_unused_images(const std::vector<Image>& images, const ImageUse& use,
                                        const std::map<std::string, ImageIdleness>& idleness,
                                        const ImagePolicy& policy) {
  std::vector<Image> chosen;
  for (const Image& image : images) {
    const auto known = idleness.find(image.id);
    if (known != idleness.end() && known->second.known >= policy.min_age && may_go(image, use)) {
      chosen.push_back(image);
    }
  }
  std::ranges::stable_sort(chosen, [&](const Image& one, const Image& other) {
    return rank(idleness.at(one.id)) < rank(idleness.at(other.id));
  });
  return chosen;
}

std::int64_t missing_bytes(const Space& space, const ImagePolicy& policy) {
  return missing(space.capacity_bytes, space.available_bytes, policy);
}

std::int64_t missing_inodes(const Space& space, const ImagePolicy& policy) {
  return missing(space.inodes, space.inodes_free, policy);
}

}  // namespace evictd::cri
