// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/fd.h"

namespace evictd::disk {

/// How many directories have which project: what is counted for one that several have is nobody's
/// own.
class ProjectClaims {
 public:
  /// Notes the project of a directory; one that could not be opened or has none has no claim.
  void add(const base::Fd& directory);
  /// Whether more than one directory on the filesystem of `directory` has the project.
  [[nodiscard]] bool shared(int directory, std::uint32_t project) const;

 private:
  /// Device of a filesystem, and project: numbers of projects are each filesystem's own.
  using Key = std::pair<std::uint64_t, std::uint32_t>;

  std::map<Key, std::uint32_t> claims_;
};

}  // namespace evictd::disk
