// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/result.h"
#include "evictd/usage.h"

namespace evictd::probe {

/// What the kernel side has read, as the hot thread takes it: no allocation, no file is opened, no
/// lock is held.
class UsageTable {
 public:
  UsageTable() = default;
  UsageTable(const UsageTable&) = delete;
  UsageTable& operator=(const UsageTable&) = delete;
  virtual ~UsageTable() = default;

  /// Re-reads all rows and the node in the kernel: one bpf(BPF_PROG_TEST_RUN), 0.1 us a watched
  /// slot.
  [[nodiscard]] virtual Result<> refresh() = 0;
  /// The row of `slot` as last refreshed: by refresh(), or by the timer at most 10 times a second.
  /// Only loads from mapped memory. Values are -1 for an unwatched slot and after the cgroup is
  /// gone.
  [[nodiscard]] virtual CgroupUsage row(std::uint32_t slot) const = 0;
  /// The node as last refreshed; `memory_total` and `max_pid` are not filled in. `tasks` counts
  /// pids allocated: nr_threads plus the pids that only name a process group or session.
  [[nodiscard]] virtual NodeUsage node() const = 0;
};

}  // namespace evictd::probe
