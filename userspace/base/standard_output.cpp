// SPDX-License-Identifier: Apache-2.0
#include "base/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <iostream>

namespace evictd::base {

Result<> flush_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  const bool lost = !flushed || !std::cout || std::ferror(stdout) != 0;
  std::cout.clear();
  std::clearerr(stdout);
  if (!lost) {
    return {};
  }
  return reason != 0 ? Result<>(fail_errno(reason, "write standard output"))
                     : Result<>(fail(Errc::kIo, "write standard output: an earlier write failed"));
}

}  // namespace evictd::base
