// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"
#include "sys/root.h"

namespace evictd::sys {

/// One open directory. Entries are reached by name, so that a walk over a deep tree resolves no
/// path twice. Symbolic links in it are not followed.
/// Thread rule: one thread at a time; every call may block.
class Directory {
 public:
  /// Errors: those of Root::open_file.
  [[nodiscard]] static Result<Directory> open(const Root& root, std::string_view path);

  /// What stat tells about an entry, without opening it.
  struct Look {
    /// Inode number; for a cgroup it is the id.
    std::uint64_t inode = 0;
    /// Direct subdirectories, from the link count; unset if the filesystem does not count them
    /// there.
    std::optional<std::uint64_t> directories;

    /// False is certain.
    [[nodiscard]] bool may_have_directories() const { return directories != 0; }
  };
  /// A subdirectory, and its Look if it was read.
  struct Entry {
    std::string name;
    std::optional<Look> look{};
  };
  /// Here and below, `name` may have several parts with '/'; only its last part must not be a link.
  /// Errors: kNotFound if there is no such entry. Cost: one system call.
  [[nodiscard]] Result<Look> look_at(const std::string& name) const;
  /// Opens a subdirectory. Errors: kNotFound, kPermission, kIo.
  [[nodiscard]] Result<Directory> open_directory(const std::string& name) const;
  /// The whole text of a file. Errors: as Root::read.
  [[nodiscard]] Result<std::string> read(const std::string& name) const;
  /// Whether the file `name` has any text. Cost: three system calls.
  [[nodiscard]] Result<bool> has_text(const std::string& name) const;
  /// The names of the direct subdirectories, without a Look. Omits entries that vanish meanwhile.
  [[nodiscard]] Result<std::vector<Entry>> directories() const;

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit Directory(base::Fd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] Result<base::Fd> open_file(const std::string& name) const;

  base::Fd fd_;
};

/// `child` of the directory `name`, as a name relative to the same base; an empty `name` is the
/// base directory itself.
[[nodiscard]] std::string name_below(std::string_view name, std::string_view child);

/// Names of the direct subdirectories of the directory that `fd` has open for reading, in the
/// filesystem's order. Cost: usually three system calls. Errors: those of getdents(2).
[[nodiscard]] Result<std::vector<std::string>> directories_in(int fd);
/// The same with `path` in errors; none if the directory was removed since it was opened.
[[nodiscard]] Result<std::vector<std::string>> directories_in(int fd, const std::string& path);

/// Names of everything in `directory`, which may be open with O_PATH; otherwise likewise.
[[nodiscard]] Result<std::vector<std::string>> names_in(int directory, const std::string& path);

}  // namespace evictd::sys
