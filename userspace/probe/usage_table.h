// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/result.h"
#include "evictd/usage.h"

namespace evictd::probe {

/// The kernel side's readings, for the hot thread: no call allocates, opens a file or holds a lock.
class UsageTable {
 public:
  UsageTable() = default;
  UsageTable(const UsageTable&) = delete;
  UsageTable& operator=(const UsageTable&) = delete;
  virtual ~UsageTable() = default;

  /// Makes the kernel read all rows and the node again. Cost: one bpf(BPF_PROG_TEST_RUN), 0.1 us
  /// per watched slot.
  [[nodiscard]] virtual Result<> refresh() = 0;
  /// The row of `slot` as last refreshed: by refresh(), or by the timer at most 10 times a second.
  /// Only loads mapped memory. Values are -1 for an unwatched slot and once the cgroup is gone.
  [[nodiscard]] virtual CgroupUsage row(std::uint32_t slot) const = 0;
  /// The node as last refreshed, without `memory_total` and `max_pid`. `tasks` counts allocated
  /// pids: nr_threads plus pids that only name a process group or session.
  [[nodiscard]] virtual NodeUsage node() const = 0;
};

}  // namespace evictd::probe
