// SPDX-License-Identifier: Apache-2.0
#include "sys/root.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "evictd/try.h"

namespace evictd::sys {

namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Listing = std::unique_ptr<DIR, CloseDirectory>;

enum class EntryType { kDirectory, kOther };

/// readdir() may leave the type unset on filesystems that do not store it in the directory.
bool has_type(int directory, const dirent& entry, EntryType wanted) {
  bool is_directory = entry.d_type == DT_DIR;
  if (entry.d_type == DT_UNKNOWN) {
    struct stat status {};
    if (::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return false;
    }
    is_directory = S_ISDIR(status.st_mode);
  }
  return is_directory == (wanted == EntryType::kDirectory);
}

Result<std::vector<std::string>> entries_in(const Root& root, std::string_view path,
                                            EntryType wanted) {
  EVICTD_ASSIGN_OR_RETURN(base::Fd fd, root.open_file(path, O_RDONLY | O_DIRECTORY));
  const Listing directory(::fdopendir(fd.get()));
  if (!directory) {
    return fail_errno(errno, "list " + std::string(path));
  }
  const int descriptor = fd.release();
  std::vector<std::string> names;
  for (errno = 0; const dirent* entry = ::readdir(directory.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && has_type(descriptor, *entry, wanted)) {
      names.emplace_back(name);
    }
  }
  if (errno != 0) {
    return fail_errno(errno, "list " + std::string(path));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<Root> Root::open(const std::string& path) {
  base::Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open directory " + path);
  }
  return Root(std::move(fd));
}

Result<base::Fd> Root::open_file(std::string_view path, int flags) const {
  const std::string name(path.empty() ? std::string_view("/") : path);
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const long fd = ::syscall(SYS_openat2, fd_.get(), name.c_str(), &how, sizeof how);
  if (fd < 0) {
    return fail_errno(errno, "open " + name);
  }
  return base::Fd(static_cast<int>(fd));
}

Result<std::string> Root::read(std::string_view path, std::size_t limit) const {
  EVICTD_ASSIGN_OR_RETURN(const base::Fd fd, open_file(path, O_RDONLY));
  return read_all(fd.get(), limit, path);
}

Result<std::vector<std::string>> Root::directories_in(std::string_view path) const {
  return entries_in(*this, path, EntryType::kDirectory);
}

Result<std::vector<std::string>> Root::files_in(std::string_view path) const {
  return entries_in(*this, path, EntryType::kOther);
}

bool Root::exists(std::string_view path) const {
  return open_file(path, O_PATH).has_value();
}

Result<std::string> read_all(int fd, std::size_t limit, std::string_view what) {
  std::string text;
  std::array<char, 16 * 1024> chunk{};
  for (;;) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n == 0) {
      return text;
    }
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return fail_errno(errno, "read " + std::string(what));
    }
    if (text.size() + static_cast<std::size_t>(n) > limit) {
      return fail(Errc::kExhausted, "read " + std::string(what) + ": longer than " +
                                        std::to_string(limit) + " bytes");
    }
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

std::string join_path(std::string_view a, std::string_view b) {
  while (!a.empty() && a.back() == '/') {
    a.remove_suffix(1);
  }
  while (!b.empty() && b.front() == '/') {
    b.remove_prefix(1);
  }
  std::string joined(a);
  if (!b.empty()) {
    joined += '/';
    joined += b;
  }
  return joined;
}

}  // namespace evictd::sys
