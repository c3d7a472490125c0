// SPDX-License-Identifier: Apache-2.0
#include "sys/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "evictd/try.h"

namespace evictd::sys {

namespace {

/// A directory of v1's memory hierarchy with one container takes 1.6 KiB.
constexpr std::size_t kEntriesBytes = 8192;

/// Where links are counted, a directory has two links plus one for each subdirectory.
constexpr nlink_t kLinksOfItself = 2;

/// The type may be unset on filesystems that do not store it in the directory.
bool names_directory(int directory, unsigned char type, const char* name) {
  if (type != DT_UNKNOWN) {
    return type == DT_DIR;
  }
  struct stat status {};
  return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

enum class Wanted { kAll, kDirectories };

/// Adds the wanted ones of the entries that getdents64 filled in.
void add_names(int directory, std::string_view entries, Wanted wanted,
               std::vector<std::string>& names) {
  for (std::size_t at = 0; at < entries.size();) {
    const char* entry = entries.data() + at;
    std::uint16_t length = 0;
    std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
    const auto type = static_cast<unsigned char>(entry[offsetof(dirent64, d_type)]);
    const char* name = entry + offsetof(dirent64, d_name);
    const std::string_view text(name);
    if (text != "." && text != ".." &&
        (wanted == Wanted::kAll || names_directory(directory, type, name))) {
      names.emplace_back(text);
    }
    at += length;
  }
}

Result<std::vector<std::string>> entries_in(int fd, Wanted wanted) {
  std::vector<std::string> names;
  alignas(dirent64) std::array<char, kEntriesBytes> entries{};
  if (::lseek(fd, 0, SEEK_SET) < 0) {
    return fail_errno(errno, "list a directory");
  }
  for (;;) {
    const ssize_t size = ::getdents64(fd, entries.data(), entries.size());
    if (size < 0) {
      return fail_errno(errno, "list a directory");
    }
    if (size == 0) {
      return names;
    }
    add_names(fd, {entries.data(), static_cast<std::size_t>(size)}, wanted, names);
  }
}

/// As readdir(3) does, takes a directory that was removed since it was opened for an empty one.
Result<std::vector<std::string>> list(int fd, Wanted wanted, const std::string& path) {
  Result<std::vector<std::string>> names = entries_in(fd, wanted);
  if (!names && names.error().sys_errno == ENOENT) {
    return std::vector<std::string>();
  }
  return names ? std::move(names) : fail_errno(names.error().sys_errno, "list " + path);
}

}  // namespace

std::string name_below(std::string_view name, std::string_view child) {
  std::string below(name);
  if (!below.empty()) {
    below += '/';
  }
  below += child;
  return below;
}

Result<std::vector<std::string>> directories_in(int fd) {
  return entries_in(fd, Wanted::kDirectories);
}

Result<std::vector<std::string>> directories_in(int fd, const std::string& path) {
  return list(fd, Wanted::kDirectories, path);
}

Result<std::vector<std::string>> names_in(int directory, const std::string& path) {
  const base::Fd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd ? list(fd.get(), Wanted::kAll, path) : fail_errno(errno, "list " + path);
}

Result<Directory> Directory::open(const Root& root, std::string_view path) {
  EVICTD_ASSIGN_OR_RETURN(base::Fd fd, root.open_file(path, O_RDONLY | O_DIRECTORY));
  return Directory(std::move(fd));
}

Result<Directory::Look> Directory::look_at(const std::string& name) const {
  struct stat status {};
  if (::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, "stat " + name);
  }
  const bool are_counted = S_ISDIR(status.st_mode) && status.st_nlink >= kLinksOfItself;
  return Look{.inode = status.st_ino,
              .directories = are_counted
                                 ? std::optional<std::uint64_t>(status.st_nlink - kLinksOfItself)
                                 : std::nullopt};
}

Result<Directory> Directory::open_directory(const std::string& name) const {
  base::Fd fd(::openat(fd_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open " + name);
  }
  return Directory(std::move(fd));
}

Result<base::Fd> Directory::open_file(const std::string& name) const {
  base::Fd fd(::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open " + name);
  }
  return fd;
}

Result<std::string> Directory::read(const std::string& name) const {
  const Result<base::Fd> fd = open_file(name);
  return fd ? read_all(fd->get(), kLargestText, name) : Result<std::string>(Failure(fd.error()));
}

Result<bool> Directory::has_text(const std::string& name) const {
  EVICTD_ASSIGN_OR_RETURN(const base::Fd fd, open_file(name));
  // The kernel generates text in whole lines: if there is one, one byte of it is enough.
  char byte = 0;
  ssize_t size = 0;
  do {
    size = ::pread(fd.get(), &byte, sizeof byte, 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    return fail_errno(errno, "read " + name);
  }
  return size > 0;
}

Result<std::vector<Directory::Entry>> Directory::directories() const {
  EVICTD_ASSIGN_OR_RETURN(std::vector<std::string> names, directories_in(fd_.get()));
  std::sort(names.begin(), names.end());
  std::vector<Entry> entries;
  entries.reserve(names.size());
  for (std::string& name : names) {
    entries.push_back({.name = std::move(name)});
  }
  return entries;
}

}  // namespace evictd::sys
