// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace evictd::base {
namespace {

/// `what` names the operation and the file in errors.
Result<Fd> open_if_regular(const std::filesystem::path& file, int flags, mode_t mode,
                           const std::string& what) {
  // Checked before opening, because even opening a device may have an effect.
  if (is_no_regular_file(file)) {
    return fail(Errc::kInvalid, what + ": not a regular file");
  }
  // O_NONBLOCK: it also does not wait for a FIFO that has replaced the file meanwhile.
  Fd fd(::open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK, mode));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, what);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::kInvalid, what + ": not a regular file");
  }
  return fd;
}

}  // namespace

bool is_no_regular_file(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Result<Fd> open_regular_file(const std::filesystem::path& file) {
  return open_if_regular(file, O_RDONLY, 0, "read " + file.string());
}

Result<Fd> open_regular_file_to_write(const std::filesystem::path& file, int flags, mode_t mode) {
  return open_if_regular(file, flags | O_CREAT, mode, "open " + file.string());
}

}  // namespace evictd::base
