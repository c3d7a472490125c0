// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "evictd/abi/watch.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

struct evictd_bpf;

namespace evictd::probe {

/// Asks the kernel where the counters of one cgroup are: by an iterator, or where the kernel has
/// none of cgroups by a run of a program that finds the descriptor in this process. Any thread.
class CgroupResolver {
 public:
  /// `skeleton` is loaded and outlives this.
  explicit CgroupResolver(const evictd_bpf& skeleton);

  /// `cgroup_fd` is the cgroup's open directory in any hierarchy. kNotFound: the cgroup is gone, or
  /// is another one than `expected`. kInvalid: the root of a hierarchy, which has no counters.
  /// About 20 us.
  [[nodiscard]] Result<evictd_resolved> resolve(int cgroup_fd, CgroupId expected) const;

 private:
  [[nodiscard]] Result<evictd_resolved> iterate(int cgroup_fd) const;
  [[nodiscard]] Result<evictd_resolved> run(int cgroup_fd) const;

  int program_;
  bool iterates_;
  /// Where run() finds the answer, one at a time.
  const evictd_resolved& answer_;
  mutable std::mutex running_;
};

}  // namespace evictd::probe
