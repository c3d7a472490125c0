// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::sys {

/// The largest file that Root::read returns whole: /proc/self/mountinfo of a node with thousands of
/// mounts is a few hundred KiB.
inline constexpr std::size_t kLargestText = std::size_t{4} << 20;

/// The tree of files that evictd sees, below one directory: "/" on a node, a fake tree in a test.
/// Every path is read from there, absolute symbolic links included, and cannot leave it.
/// Thread rule: const members may be called from any thread; all of them may block, so none from
/// the hot thread.
class Root {
 public:
  /// Errors: those of opening the directory `path`.
  [[nodiscard]] static Result<Root> open(const std::string& path = "/");

  /// Opens `path` (a leading '/' changes nothing) with the open(2) `flags`; O_CLOEXEC is added.
  /// Errors: kNotFound, kPermission, kIo, with the path in the context.
  [[nodiscard]] Result<base::Fd> open_file(std::string_view path, int flags) const;
  /// The whole text of a file of at most `limit` bytes.
  /// Errors: as open_file; kExhausted if it is longer.
  [[nodiscard]] Result<std::string> read(std::string_view path,
                                         std::size_t limit = kLargestText) const;
  /// Names of the directories directly in `path`, sorted. Entries that vanish meanwhile are left
  /// out.
  [[nodiscard]] Result<std::vector<std::string>> directories_in(std::string_view path) const;
  /// Names of everything but directories directly in `path`, sorted.
  [[nodiscard]] Result<std::vector<std::string>> files_in(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;

  /// The directory itself, still owned by this object.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit Root(base::Fd fd) : fd_(std::move(fd)) {}

  base::Fd fd_;
};

/// Reads `fd` from its start to its end.
/// Errors: kExhausted if there are more than `limit` bytes; those of read(2), naming `what`.
[[nodiscard]] Result<std::string> read_all(int fd, std::size_t limit, std::string_view what);

/// `a` and `b` with exactly one '/' between them; an empty part adds none.
[[nodiscard]] std::string join_path(std::string_view a, std::string_view b);

}  // namespace evictd::sys
