// SPDX-License-Identifier: Apache-2.0
// refuse_calls NUMBER... -- PROGRAM [ARGUMENT]...: runs a program for which these system calls fail
// with EPERM, as with SystemCallFilter= in a unit.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/refused_call.h"

int main(int argc, char** argv) {
  int next = 1;
  for (; next < argc && std::strcmp(argv[next], "--") != 0; ++next) {
    const auto call = static_cast<unsigned>(std::strtoul(argv[next], nullptr, 10));
    if (!evictd::test::refuse_call(call, EPERM)) {
      std::perror("seccomp");
      return 2;
    }
  }
  if (next + 1 >= argc) {
    std::fputs("usage: refuse_calls NUMBER... -- PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
  }
  ::execv(argv[next + 1], argv + next + 1);
  std::perror(argv[next + 1]);
  return 2;
}
