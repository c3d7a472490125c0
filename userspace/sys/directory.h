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

/// One directory that is held open: what is in it is reached by name, so that a walk over a deep
/// tree resolves no path twice. Symbolic links in it are not followed.
/// Thread rule: one thread at a time; every call may block.
class Directory {
 public:
  /// Errors: those of Root::open_file.
  [[nodiscard]] static Result<Directory> open(const Root& root, std::string_view path);

  /// What a look at an entry tells, without opening it.
  struct Look {
    /// Inode number, which for a cgroup is its id.
    std::uint64_t inode = 0;
    /// How many directories are right in it, by its links; unset where these do not tell, as on a
    /// file system that does not count them.
    std::optional<std::uint64_t> directories;

    /// False is certain.
    [[nodiscard]] bool may_have_directories() const { return directories != 0; }
  };
  /// A directory in it, and what a look has told of it where there was one.
  struct Entry {
    std::string name;
    std::optional<Look> look{};
  };
  /// Here and below, `name` may lie deeper, with '/' in it; its last part alone must be no link.
  /// Errors: kNotFound when there is no such entry. Cost: one system call.
  [[nodiscard]] Result<Look> look_at(const std::string& name) const;
  /// Opens a directory in it. Errors: kNotFound, kPermission, kIo.
  [[nodiscard]] Result<Directory> open_directory(const std::string& name) const;
  /// The whole text of a file in it. Errors: as Root::read.
  [[nodiscard]] Result<std::string> read(const std::string& name) const;
  /// Whether there is text in that file. Cost: three system calls.
  [[nodiscard]] Result<bool> has_text(const std::string& name) const;
  /// The directories directly in it by name, not looked at. What vanishes meanwhile is left out.
  [[nodiscard]] Result<std::vector<Entry>> directories() const;

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit Directory(base::Fd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] Result<base::Fd> open_file(const std::string& name) const;

  base::Fd fd_;
};

/// `child` of what is called `name` below a directory, as a name below that; an empty `name` is the
/// directory itself.
[[nodiscard]] std::string name_below(std::string_view name, std::string_view child);

/// Names of the directories directly in the one that `fd` has open for reading, in the order in
/// which the file system has them. Cost: as a rule three system calls.
/// Errors: those of getdents(2).
[[nodiscard]] Result<std::vector<std::string>> directories_in(int fd);

}  // namespace evictd::sys
