// SPDX-License-Identifier: Apache-2.0
#include "record_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace evictd::churn {

bool RecordTail::was_rotated() const {
  struct stat named {};
  struct stat open {};
  return ::stat(file_.c_str(), &named) == 0 && ::fstat(fd_.get(), &open) == 0 &&
         (named.st_ino != open.st_ino || named.st_dev != open.st_dev);
}

Result<> RecordTail::read_open_file(const std::function<void(std::string_view)>& take) {
  std::array<char, 65536> chunk{};
  for (;;) {
    const ssize_t got = ::read(fd_.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail_errno(errno, "read " + file_.string());
    }
    if (got == 0) {
      return {};
    }
    rest_.append(chunk.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      take(std::string_view{rest_}.substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
  }
}

Result<> RecordTail::read(const std::function<void(std::string_view)>& take) {
  for (;;) {
    if (!fd_) {
      fd_ = base::Fd{::open(file_.c_str(), O_RDONLY | O_CLOEXEC)};
      if (!fd_) {
        return errno == ENOENT ? Result<>{} : fail_errno(errno, "open " + file_.string());
      }
    }
    // Looked at first: what was written before the rotation is read after it.
    const bool rotated = was_rotated();
    if (Result<> done = read_open_file(take); !done || !rotated) {
      return done;
    }
    fd_.reset();
  }
}

}  // namespace evictd::churn
