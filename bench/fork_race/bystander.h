// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "evictd/result.h"

namespace evictd::bench {

/// A process outside every pod that forks a child every 10 ms. A failed fork shows that the bomb
/// took the pid that another process needed.
class ForkingBystander {
 public:
  /// Errors: those of mmap(2) and fork(2).
  static Result<ForkingBystander> start();

  ForkingBystander(const ForkingBystander&) = delete;
  ForkingBystander& operator=(const ForkingBystander&) = delete;
  ForkingBystander(ForkingBystander&& other) noexcept;
  ForkingBystander& operator=(ForkingBystander&&) = delete;
  /// Kills the process.
  ~ForkingBystander();

  /// Successful and failed forks since the start.
  [[nodiscard]] std::uint64_t forks() const { return shared_->forks.load(); }
  [[nodiscard]] std::uint64_t failed() const { return shared_->failed.load(); }

 private:
  /// Memory that both processes share.
  struct Shared {
    std::atomic<std::uint64_t> forks{0};
    std::atomic<std::uint64_t> failed{0};
  };

  explicit ForkingBystander(Shared* shared) : shared_(shared) {}
  [[noreturn]] static void fork_forever(Shared& shared);

  Shared* shared_;
  pid_t pid_ = -1;
};

}  // namespace evictd::bench
