// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "enforce/actuator.h"

namespace evictd::enforce {

/// Reports the exit of victims: an epoll set of pidfds and of cgroup.events files, readable as one
/// descriptor. Memory of fixed size.
class ReleaseWatch {
 public:
  /// `capacity`: most pidfds at a time. `slots`: most evictions at a time.
  [[nodiscard]] static Result<ReleaseWatch> create(std::size_t capacity, std::size_t slots);

  /// Watches a process of the eviction in `slot`. Without room it closes `pidfd` and returns false;
  /// the process is found again after the watched ones have exited.
  bool add_process(std::uint32_t slot, base::Fd pidfd);
  /// Watches a kept cgroup.events for POLLPRI; it stays the target's.
  bool add_events(std::uint32_t slot, int fd);
  void remove_processes(std::uint32_t slot);
  /// Accepts -1 and a file that is not watched.
  void remove_events(int fd);

  /// Number of watched processes of `slot` that have not exited yet.
  [[nodiscard]] std::size_t processes(std::uint32_t slot) const { return counts_[slot]; }
  [[nodiscard]] int descriptor() const { return epoll_.get(); }

  /// Takes one event: the slot whose last watched process exited or whose cgroup.events changed.
  /// nullopt if there is none. Never blocks.
  [[nodiscard]] std::optional<std::uint32_t> take();

 private:
  struct Process {
    base::Fd pidfd;
    std::uint32_t slot = 0;
  };
  ReleaseWatch(base::Fd epoll, std::size_t capacity, std::size_t slots);
  /// Removes a watched process from the set.
  void forget(std::uint32_t index);

  base::Fd epoll_;
  std::vector<Process> processes_;
  std::vector<std::uint32_t> free_;
  std::vector<std::size_t> counts_;
};

}  // namespace evictd::enforce
