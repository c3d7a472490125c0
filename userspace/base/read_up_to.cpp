// SPDX-License-Identifier: Apache-2.0
#include "base/read_up_to.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace evictd::base {
namespace {

/// Bytes per read.
constexpr std::size_t kBlockBytes = std::size_t{64} << 10U;

}  // namespace

Result<std::string> read_up_to(int fd, std::size_t limit, const std::string& name) {
  std::string text;
  std::size_t size = 0;
  while (size < limit) {
    text.resize(size + std::min(limit - size, kBlockBytes));
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR) {
      return fail_errno(errno, "read " + name);
    }
    if (got == 0) {
      break;
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  text.resize(size);
  return text;
}

}  // namespace evictd::base
