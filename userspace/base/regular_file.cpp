// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace evictd::base {

Result<Fd> open_regular_file(const std::filesystem::path& file) {
  const std::string what = "read " + file.string();
  const auto is_other = [](const struct stat& status) { return !S_ISREG(status.st_mode); };
  struct stat status {};
  // Looked at first, because even to open a device may do something.
  if (::stat(file.c_str(), &status) == 0 && is_other(status)) {
    return fail(Errc::kInvalid, what + ": not a regular file");
  }
  // O_NONBLOCK: nor is a FIFO waited for that has taken its place meanwhile.
  Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, what);
  }
  if (is_other(status)) {
    return fail(Errc::kInvalid, what + ": not a regular file");
  }
  return fd;
}

}  // namespace evictd::base
