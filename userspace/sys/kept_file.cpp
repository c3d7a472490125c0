// SPDX-License-Identifier: Apache-2.0
#include "sys/kept_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "evictd/try.h"

namespace evictd::sys {

bool KeptText::gone() const {
  return sys_errno == ENODEV || sys_errno == ENOENT;
}

Result<KeptFile> KeptFile::open(const Root& root, std::string_view path) {
  EVICTD_ASSIGN_OR_RETURN(base::Fd fd, root.open_file(path, O_RDONLY));
  return KeptFile(std::move(fd));
}

Result<KeptFile> KeptFile::open_below(int directory, const std::string& name) {
  base::Fd fd(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open " + name);
  }
  return KeptFile(std::move(fd));
}

KeptText KeptFile::read(std::span<char> buffer) const {
  ssize_t n = 0;
  do {
    n = ::pread(fd_.get(), buffer.data(), buffer.size(), 0);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    return {{}, errno};
  }
  const auto size = static_cast<std::size_t>(n);
  // A text that fills the buffer may be truncated, and a truncated number looks like a smaller one.
  if (size == buffer.size()) {
    return {{}, EFBIG};
  }
  return {std::string_view(buffer.data(), size), 0};
}

}  // namespace evictd::sys
