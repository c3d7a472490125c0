// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <string_view>

/// The small writes and reads of cgroup files that go with a signal; kept descriptors, no
/// allocation.
namespace evictd::enforce {

/// Writes `text` to a kept control file. False, and nothing done, for -1 or a refusal.
bool write_control(int fd, std::string_view text);

/// What cgroup.events says.
enum class Populated { kYes, kNo, kGone };

/// Reads a kept cgroup.events, which also clears its EPOLLPRI. kGone once the cgroup is removed.
[[nodiscard]] Populated read_populated(int events_fd);

/// pids.max at 0 while it lives, unless the caller keeps it so.
class ForkStop {
 public:
  /// `pids_max_fd` is a kept pids.max of a v1 pod, -1 for none.
  explicit ForkStop(int pids_max_fd);
  ForkStop(const ForkStop&) = delete;
  ForkStop& operator=(const ForkStop&) = delete;
  /// Writes back what was there before, unless keep() was called.
  ~ForkStop();

  void keep() { keep_ = true; }

 private:
  int fd_;
  /// "max" or a number.
  std::array<char, 24> before_{};
  ssize_t before_length_ = 0;
  bool keep_ = false;
};

}  // namespace evictd::enforce
