// SPDX-License-Identifier: Apache-2.0
// Directories that a pod may rename while we are in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace evictd::disk {

/// Whether a way may lead onto another mount.
enum class Mounts : std::uint8_t { kLeftOut, kEntered };

/// Opens the directory `path` for reading, never outside of `directory` and through no symbolic
/// link. Empty on failure, with errno: ELOOP for a link, EXDEV for another mount that is left out
/// and for a way out. Source: openat2(2), Linux 5.6, which evictd needs for every file it reads.
[[nodiscard]] base::Fd open_beneath(int directory, const std::string& path, Mounts mounts);

/// Opens the parent of `directory` if that is on the same mount. Empty on failure, with errno.
[[nodiscard]] base::Fd open_parent(int directory);

/// Which directory it is, whatever its name.
struct DirectoryIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool operator==(const DirectoryIdentity&) const = default;
};

/// Nothing on failure, with errno. Source: statx(2).
[[nodiscard]] std::optional<DirectoryIdentity> identity_of(int directory);

/// What a directory has in it.
struct Names {
  std::vector<std::string> all;
  /// errno of a directory that could not be listed to its end, else 0.
  int failure = 0;
};

/// Without "." and "..", in the order of the directory.
[[nodiscard]] Names names_in(int directory);

}  // namespace evictd::disk
