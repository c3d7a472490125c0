// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "evictd/result.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Pods whose containers take and give back memory five times a second, each in a process of its
/// own, so that the kernel has statistics of every cgroup to gather; and processes in one of them
/// that read its own memory.stat in a loop, as a container may. They die with the object and with
/// this process; the cgroups belong to the tree.
class Crowd {
 public:
  struct Size {
    int pods = 250;
    /// Of a pod, itself included; at least 2.
    int cgroups = 4;
    int readers = 0;
  };
  /// Errors: those of making cgroups and of fork(2).
  static Result<Crowd> start(stage::PrivateTree& tree, const Size& size);

  Crowd() = default;
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  Crowd(Crowd&&) noexcept = default;
  Crowd& operator=(Crowd&& other) noexcept;
  ~Crowd();

 private:
  /// A process that does `work` in this cgroup.
  template <typename Work>
  Result<> add(const std::filesystem::path& cgroup, Work work);

  std::vector<pid_t> pids_;
};

}  // namespace evictd::bench
