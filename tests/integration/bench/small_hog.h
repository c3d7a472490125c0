// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>

namespace evictd::bench {

/// A forked process that touches `bytes` once it is let go, says so, and keeps them.
class SmallHog {
 public:
  explicit SmallHog(std::size_t bytes) {
    if (::pipe(gate_.data()) == 0 && ::pipe(done_.data()) == 0) {
      pid_ = ::fork();
    }
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      grow(bytes);
    }
  }
  SmallHog(const SmallHog&) = delete;
  SmallHog& operator=(const SmallHog&) = delete;
  ~SmallHog() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    for (const int fd : {gate_[0], gate_[1], done_[0], done_[1]}) {
      ::close(fd);
    }
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void let_go() { static_cast<void>(::write(gate_[1], "g", 1) < 0); }
  /// Returns once everything is touched.
  void await() {
    char byte = 0;
    static_cast<void>(::read(done_[0], &byte, 1) < 0);
  }

 private:
  [[noreturn]] void grow(std::size_t bytes) {
    char byte = 0;
    static_cast<void>(::read(gate_[0], &byte, 1) < 0);
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (std::size_t offset = 0; offset < bytes; offset += 4096) {
      static_cast<volatile char*>(memory)[offset] = 1;
    }
    static_cast<void>(::write(done_[1], "d", 1) < 0);
    for (;;) {
      ::pause();
    }
  }

  std::array<int, 2> gate_{-1, -1};
  std::array<int, 2> done_{-1, -1};
  pid_t pid_ = -1;
};

}  // namespace evictd::bench
