// SPDX-License-Identifier: Apache-2.0
// Access to directories that a pod may rename at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace evictd::disk {

/// Whether a path may enter another mount.
enum class Mounts : std::uint8_t { kLeftOut, kEntered };

/// Opens the directory `path` for reading, never outside `directory` and through no symbolic link.
/// Empty on failure, with errno: ELOOP for a link; EXDEV for an excluded mount or a path out of
/// `directory`. Source: openat2(2), Linux 5.6, which evictd needs for every file it reads.
[[nodiscard]] base::Fd open_beneath(int directory, const std::string& path, Mounts mounts);

/// Opens the parent of `directory` if it is on the same mount. Empty on failure, with errno.
[[nodiscard]] base::Fd open_parent(int directory);

/// Identity of a directory, independent of its name.
struct DirectoryIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool operator==(const DirectoryIdentity&) const = default;
};

/// nullopt on failure, with errno. Source: statx(2).
[[nodiscard]] std::optional<DirectoryIdentity> identity_of(int directory);

/// Entries of a directory.
struct Names {
  std::vector<std::string> all;
  /// errno if the directory could not be listed completely, else 0.
  int failure = 0;
};

/// Without "." and "..", in the order of the directory.
[[nodiscard]] Names names_in(int directory);

}  // namespace evictd::disk
