// SPDX-License-Identifier: Apache-2.0
#include "sys/root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "evictd/try.h"
#include "sys/directory.h"

namespace evictd::sys {

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
  EVICTD_ASSIGN_OR_RETURN(const base::Fd fd, open_file(path, O_RDONLY | O_DIRECTORY));
  EVICTD_ASSIGN_OR_RETURN(std::vector<std::string> names,
                          sys::directories_in(fd.get(), std::string(path)));
  std::sort(names.begin(), names.end());
  return names;
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
