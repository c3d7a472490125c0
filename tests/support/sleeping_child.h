// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

namespace evictd::test {

/// A child of this process that sleeps until a signal kills it. The caller kills and reaps it.
inline pid_t start_sleeping_child() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    while (true) {
      ::pause();
    }
  }
  return pid;
}

}  // namespace evictd::test
