// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::sys {

/// The largest file that Root::read returns whole. /proc/self/mountinfo of a node with thousands of
/// mounts has a few hundred KiB.
inline constexpr std::size_t kLargestText = std::size_t{4} << 20;

/// The file tree that evictd reads, below one directory: "/" on a node, a fake tree in a test. All
/// paths, including absolute symbolic links, resolve below it and cannot leave it.
/// Thread rule: any thread may call const members. All members may block, so none from the hot
/// thread.
class Root {
 public:
  /// Errors: those of opening the directory `path`.
  [[nodiscard]] static Result<Root> open(const std::string& path = "/");

  /// Opens `path` (a leading '/' is optional) with the open(2) `flags` and O_CLOEXEC.
  /// Errors: kNotFound, kPermission, kIo, with the path in the context.
  [[nodiscard]] Result<base::Fd> open_file(std::string_view path, int flags) const;
  /// The whole text of a file of at most `limit` bytes.
  /// Errors: as open_file; kExhausted if the file is longer.
  [[nodiscard]] Result<std::string> read(std::string_view path,
                                         std::size_t limit = kLargestText) const;
  /// Names of the direct subdirectories of `path`, sorted. Omits entries that vanish meanwhile.
  [[nodiscard]] Result<std::vector<std::string>> directories_in(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;

  /// Descriptor of the root directory, still owned by this object.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit Root(base::Fd fd) : fd_(std::move(fd)) {}

  base::Fd fd_;
};

/// Reads `fd` from start to end.
/// Errors: kExhausted for more than `limit` bytes; those of read(2), with `what` as the name.
[[nodiscard]] Result<std::string> read_all(int fd, std::size_t limit, std::string_view what);

/// Joins `a` and `b` with exactly one '/'; an empty part adds none.
[[nodiscard]] std::string join_path(std::string_view a, std::string_view b);

}  // namespace evictd::sys
