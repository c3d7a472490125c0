// SPDX-License-Identifier: Apache-2.0
#include "kube/place_links.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "disk/places.h"

namespace evictd::kube {

namespace {

/// The runtime's path is untrusted.
bool is_directory_name(const std::string& path) {
  return path.starts_with('/') && path.size() < PATH_MAX && path.find('\0') == std::string::npos;
}

/// Atomic: a reader sees the old link or the new one.
Result<> replace_link(const std::string& link, const std::string& target) {
  const std::string unfinished = link + ".unfinished";
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(link).parent_path(), ignored);
  if (::unlink(unfinished.c_str()) != 0 && errno != ENOENT) {
    return fail_errno(errno, "remove " + unfinished);
  }
  if (::symlink(target.c_str(), unfinished.c_str()) != 0) {
    return fail_errno(errno, "link " + unfinished);
  }
  return ::rename(unfinished.c_str(), link.c_str()) == 0 ? Result<>()
                                                         : fail_errno(errno, "rename to " + link);
}

Result<> remove_link(const std::string& link) {
  return ::unlink(link.c_str()) == 0 || errno == ENOENT ? Result<>()
                                                        : fail_errno(errno, "remove " + link);
}

}  // namespace

void PlaceLinks::update(const cri::RuntimePlaces& places) {
  if (places.images.empty() || (told_ == places && problem_.empty())) {
    return;
  }
  const bool has_layers = !places.containers.empty();
  if (!is_directory_name(places.images) || (has_layers && !is_directory_name(places.containers))) {
    counters_.failures += told_ == places ? 0 : 1;
    told_ = places;
    problem_ = "the runtime reports a directory that is not an absolute path";
    return;
  }
  const std::string layers = path_ + disk::kLayersSuffix;
  // First, so that these images are never combined with layers that the runtime no longer reports.
  Result<> done = has_layers ? Result<>() : remove_link(layers);
  if (done) {
    done = replace_link(path_, places.images);
  }
  if (done && has_layers) {
    done = replace_link(layers, places.containers);
  }
  told_ = places;
  problem_ = done ? "" : done.error().message();
  ++(done ? counters_.changed : counters_.failures);
}

}  // namespace evictd::kube
