// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "evictd/abi/watch.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

struct evictd_bpf;

namespace evictd::probe {

/// Gets the addresses of a cgroup's counters from the kernel: with a cgroup iterator or, on kernels
/// without one, with a program that finds the descriptor in this process. Any thread.
class CgroupResolver {
 public:
  /// `skeleton` is loaded and outlives this.
  explicit CgroupResolver(const evictd_bpf& skeleton);

  /// `cgroup_fd`: the cgroup's open directory in any hierarchy.
  /// Errors: kNotFound: the cgroup is gone or is not `expected`. kInvalid: the root of a hierarchy,
  /// which has no counters. Cost: about 20 us.
  [[nodiscard]] Result<evictd_resolved> resolve(int cgroup_fd, CgroupId expected) const;

 private:
  [[nodiscard]] Result<evictd_resolved> iterate(int cgroup_fd) const;
  [[nodiscard]] Result<evictd_resolved> run(int cgroup_fd) const;

  int program_;
  bool iterates_;
  /// Answer of the program for run(), one at a time.
  const evictd_resolved& answer_;
  mutable std::mutex running_;
};

}  // namespace evictd::probe
