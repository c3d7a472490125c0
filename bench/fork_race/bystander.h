// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "evictd/result.h"

namespace evictd::bench {

/// A process outside every pod that makes a child every 10 ms, as anything else on the machine may
/// have to. A fork that fails there is a pid that somebody else's bomb has taken.
class ForkingBystander {
 public:
  /// Errors: those of mmap(2) and fork(2).
  static Result<ForkingBystander> start();

  ForkingBystander(const ForkingBystander&) = delete;
  ForkingBystander& operator=(const ForkingBystander&) = delete;
  ForkingBystander(ForkingBystander&& other) noexcept;
  ForkingBystander& operator=(ForkingBystander&&) = delete;
  /// Ends the process.
  ~ForkingBystander();

  /// Forks that worked, and those that did not, since it was started.
  [[nodiscard]] std::uint64_t forks() const { return shared_->forks.load(); }
  [[nodiscard]] std::uint64_t failed() const { return shared_->failed.load(); }

 private:
  /// In memory that both processes have.
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
