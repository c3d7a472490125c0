// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace evictd::test {

/// A child of this process that has all its tasks and sleeps until a signal kills it. The caller
/// kills and reaps it.
inline pid_t start_sleeping_child() {
  std::array<int, 2> runs{};
  if (::pipe2(runs.data(), O_CLOEXEC) != 0) {
    return -1;
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(runs[1]);
    while (true) {
      ::pause();
    }
  }
  ::close(runs[1]);
  char nothing = 0;
  while (::read(runs[0], &nothing, 1) < 0) {
  }
  ::close(runs[0]);
  return pid;
}

}  // namespace evictd::test
