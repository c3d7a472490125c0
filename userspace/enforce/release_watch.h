// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "enforce/actuator.h"

namespace evictd::enforce {

/// Tells when victims end: an epoll set of pidfds and of cgroup.events files, readable as one
/// descriptor. Memory of fixed size.
class ReleaseWatch {
 public:
  /// `capacity`: pidfds at a time. `slots`: evictions at a time.
  [[nodiscard]] static Result<ReleaseWatch> create(std::size_t capacity, std::size_t slots);

  /// Watches a process of the eviction in `slot`. Answers false, and closes it, when there is no
  /// room; the process is then found again when those that are watched have ended.
  bool add_process(std::uint32_t slot, base::Fd pidfd);
  /// Watches a kept cgroup.events for POLLPRI; it stays the target's.
  bool add_events(std::uint32_t slot, int fd);
  void remove_processes(std::uint32_t slot);
  /// -1 is allowed, as is a file that is not watched.
  void remove_events(int fd);

  /// How many watched processes of `slot` have not ended yet.
  [[nodiscard]] std::size_t processes(std::uint32_t slot) const { return counts_[slot]; }
  [[nodiscard]] int descriptor() const { return epoll_.get(); }

  /// Takes one thing that happened: the slot whose last watched process ended or whose
  /// cgroup.events changed. Nothing once all is taken. Never blocks.
  [[nodiscard]] std::optional<std::uint32_t> take();

 private:
  struct Process {
    base::Fd pidfd;
    std::uint32_t slot = 0;
  };
  ReleaseWatch(base::Fd epoll, std::size_t capacity, std::size_t slots);
  /// Takes a process that is watched out of the set.
  void forget(std::uint32_t index);

  base::Fd epoll_;
  std::vector<Process> processes_;
  std::vector<std::uint32_t> free_;
  std::vector<std::size_t> counts_;
};

}  // namespace evictd::enforce
