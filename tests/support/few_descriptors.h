// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace evictd::test {

/// Limits this process to `free` further descriptors while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(int free) {
    warm_up_error_texts();
    if (::getrlimit(RLIMIT_NOFILE, &before_) != 0) {
      throw std::runtime_error("getrlimit failed");
    }
    rlimit few = before_;
    for (few.rlim_cur = 0; free > 0; ++few.rlim_cur) {
      free -= ::fcntl(static_cast<int>(few.rlim_cur), F_GETFD) < 0 ? 1 : 0;
    }
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) {
      throw std::runtime_error("setrlimit failed");
    }
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  FewDescriptors(FewDescriptors&&) = delete;
  FewDescriptors& operator=(FewDescriptors&&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  /// UBSan checks the first object of each class through a pipe. Without a free descriptor it
  /// reports a valid object as invalid.
  static void warm_up_error_texts() {
    static_cast<void>(fmt::format("{}", std::generic_category().message(EMFILE)));
  }

  rlimit before_{};
};

}  // namespace evictd::test
