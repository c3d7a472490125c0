// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>

#include "base/fd.h"

namespace evictd::test {

/// An eventfd and how often it was signalled.
class CountedEventfd {
 public:
  CountedEventfd() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

  [[nodiscard]] int get() const { return fd_.get(); }
  [[nodiscard]] base::Fd duplicate() const { return base::Fd(::dup(fd_.get())); }
  void close() { fd_.reset(); }

  /// Signals since the beginning, those that are already there included.
  std::uint64_t count() {
    std::uint64_t more = 0;
    if (::read(fd_.get(), &more, sizeof(more)) == sizeof(more)) {
      seen_ += more;
    }
    return seen_;
  }
  /// Waits for the `wanted`th signal; the limit is only there so that a failing test ends.
  bool reaches(std::uint64_t wanted) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (count() < wanted) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(give_up - std::chrono::steady_clock::now());
      pollfd ready{.fd = fd_.get(), .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) {
        return false;
      }
    }
    return true;
  }
  /// Waits until one crossing more than `before` was signalled, or one and a number of pairs: usage
  /// itself goes back and forth by a charge batch now and then while it grows, when the stock of
  /// another CPU is given back, and each of that is a crossing. Answers how many there were.
  std::uint64_t crossed(std::uint64_t before) {
    bool in_time = reaches(before + 1);
    while (in_time && (count() - before) % 2 == 0) {
      in_time = reaches(seen_ + 1);
    }
    return in_time ? seen_ - before : 0;
  }

 private:
  base::Fd fd_;
  std::uint64_t seen_ = 0;
};

}  // namespace evictd::test
