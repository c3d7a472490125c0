// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <stdexcept>

namespace evictd::test {

/// While it lives, no write of this process makes a file longer than `bytes`: write(2) writes a
/// part or fails, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) {
      throw std::runtime_error("getrlimit failed");
    }
    set({.rlim_cur = bytes, .rlim_max = before_.rlim_max});
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  FileSizeLimit(FileSizeLimit&&) = delete;
  FileSizeLimit& operator=(FileSizeLimit&&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }

 private:
  static void set(const rlimit& limit) {
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
      throw std::runtime_error("setrlimit failed");
    }
  }

  sighandler_t handler_;
  rlimit before_{};
};

}  // namespace evictd::test
