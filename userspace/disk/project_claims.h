// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/fd.h"

namespace evictd::disk {

/// How many directories have each project. The quota of a project that several directories have
/// belongs to none of them alone.
class ProjectClaims {
 public:
  /// Counts the project of a directory, unless the directory could not be opened or has none.
  void add(const base::Fd& directory);
  /// Whether more than one directory on the filesystem of `directory` has the project.
  [[nodiscard]] bool shared(int directory, std::uint32_t project) const;

 private:
  /// Device of a filesystem, and project: project numbers are per filesystem.
  using Key = std::pair<std::uint64_t, std::uint32_t>;

  std::map<Key, std::uint32_t> claims_;
};

}  // namespace evictd::disk
