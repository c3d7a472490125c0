// SPDX-License-Identifier: Apache-2.0
#include "cri/image_ages.h"

#include <algorithm>
#include <utility>

namespace evictd::cri {

bool uses(const Container& container, const Image& image) {
  const auto names_it = [&](const std::string& name) {
    return !name.empty() && (name == image.id || std::ranges::count(image.tags, name) != 0 ||
                             std::ranges::count(image.digests, name) != 0);
  };
  return names_it(container.image_id) || names_it(container.image_ref) || names_it(container.image);
}

void ImageAges::update(const std::vector<Image>& images, const std::vector<Container>& containers,
                       MonoTime now) {
  std::map<std::string, Age> ages;
  for (const Image& image : images) {
    const auto known = ages_.find(image.id);
    Age age = known == ages_.end() ? Age{.first_seen = now, .last_used = {}} : known->second;
    if (std::ranges::any_of(containers, [&](const Container& one) { return uses(one, image); })) {
      age.last_used = now;
    }
    ages.emplace(image.id, age);
  }
  ages_ = std::move(ages);
}

}  // namespace evictd::cri
