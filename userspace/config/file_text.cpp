// SPDX-License-Identifier: Apache-2.0
#include "config/file_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.h"

namespace evictd::config {

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  // O_NONBLOCK: a FIFO in place of the file must not block a reload.
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return fail_errno(errno, fmt::format("open {}", path.string()));
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, fmt::format("stat {}", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::kInvalid, fmt::format("{}: not a regular file; allowed: a "
                                            "file",
                                            path.string()));
  }
  // A file may hold more by now than it says, or, in /proc, more than the 0 that it says.
  std::string text(std::min(static_cast<std::size_t>(status.st_size), limit) + 1, '\0');
  std::size_t size = 0;
  while (size <= limit) {
    if (size == text.size()) {
      text.resize(std::min(2 * size, limit + 1));
    }
    const ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got == 0) {
      break;
    }
    if (got < 0 && errno != EINTR) {
      return fail_errno(errno, fmt::format("read {}", path.string()));
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  text.resize(size);
  return text;
}

}  // namespace evictd::config
