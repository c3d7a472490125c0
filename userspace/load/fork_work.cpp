// SPDX-License-Identifier: Apache-2.0
#include "load/fork_work.h"

#include <unistd.h>

#include <cerrno>

namespace evictd::load {

Result<std::uint64_t> ForkWork::add(std::uint64_t units) {
  for (std::uint64_t done = 0; done < units; ++done) {
    const pid_t child = ::fork();
    if (child == 0) {
      while (true) {
        ::pause();
      }
    }
    if (child < 0 && errno != EAGAIN) {
      return fail_errno(errno, "fork");
    }
    if (child < 0) {
      return done;
    }
  }
  return units;
}

}  // namespace evictd::load
