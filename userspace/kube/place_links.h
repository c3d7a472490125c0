// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cri/runtime_objects.h"
#include "evictd/result.h"

namespace evictd::kube {

/// Symbolic links to the container runtime's directories, for evictd's containerRuntimeRoots.
/// "PATH" links to the image directory. "PATH.containers" (disk::kLayersSuffix) links to the
/// directory of writable layers, if the runtime reports one. The links stay when evictd-kube exits;
/// evictd follows them when it starts.
/// Thread rule: one thread. Blocks in file system calls, once a change.
class PlaceLinks {
 public:
  struct Counters {
    std::uint64_t changed = 0;
    std::uint64_t failures = 0;
  };

  explicit PlaceLinks(std::string path) : path_(std::move(path)) {}

  /// Points the links at the directories that the runtime reports; each link changes atomically.
  /// Keeps a link if the runtime reports nothing, or something that is no valid path. Costs nothing
  /// while the report stays the same.
  void update(const cri::RuntimePlaces& places);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Why the links are out of date; empty if they are not.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  std::string path_;
  /// The report that the links were last made from.
  std::optional<cri::RuntimePlaces> told_;
  std::string problem_;
  Counters counters_;
};

}  // namespace evictd::kube
