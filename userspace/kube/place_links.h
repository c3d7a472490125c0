// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cri/runtime_objects.h"
#include "evictd/result.h"

namespace evictd::kube {

/// Symbolic links to the directories that the container runtime uses, for evictd's
/// containerRuntimeRoots: "PATH" to that of images, "PATH.containers" (disk::kLayersSuffix) to that
/// of writable layers, where the runtime tells of one. They stay when evictd-kube ends, and evictd
/// follows them when it starts. Thread rule: one thread. Blocks in file system calls, once a
/// change.
class PlaceLinks {
 public:
  struct Counters {
    std::uint64_t changed = 0;
    std::uint64_t failures = 0;
  };

  explicit PlaceLinks(std::string path) : path_(std::move(path)) {}

  /// Has them lead where the runtime says, each as a whole or not at all. Where it tells nothing,
  /// or what no directory can be called by, they stay as they are. Costs nothing while it tells the
  /// same.
  void update(const cri::RuntimePlaces& places);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Why they do not lead there; empty where they do.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  std::string path_;
  /// What the links were last made of.
  std::optional<cri::RuntimePlaces> told_;
  std::string problem_;
  Counters counters_;
};

}  // namespace evictd::kube
