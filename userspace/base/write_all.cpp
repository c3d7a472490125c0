// SPDX-License-Identifier: Apache-2.0
#include "base/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace evictd::base {

Result<> write_all(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return fail_errno(errno, "write " + name);
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace evictd::base
