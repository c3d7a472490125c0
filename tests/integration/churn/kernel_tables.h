// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/abi/table.h"
#include "evictd/abi/watch.h"
#include "evictd/result.h"

namespace evictd::churn {

/// What a slot in use is about, and what it says.
struct WatchedSlot {
  evictd_target target;
  evictd_row row;
};

/// The BPF maps of a running evictd, read by another process: what the kernel holds, whatever
/// evictd believes. One thread uses it.
class KernelTables {
 public:
  /// Source: /proc/PID/fdinfo. Errors: kNotFound when a map is missing; as bpf(2).
  static Result<KernelTables> of(pid_t evictd);

  /// Entries of each hash map, by its name: "cgroups", "counters", "roots", "stalls".
  [[nodiscard]] Result<std::map<std::string, std::size_t>> entries() const;
  /// The slots that watch a cgroup, by the kernfs id of that cgroup in the memory hierarchy.
  [[nodiscard]] Result<std::map<std::uint64_t, WatchedSlot>> slots() const;
  [[nodiscard]] Result<evictd_stats> stats() const;

 private:
  struct Map {
    base::Fd fd;
    std::uint32_t type = 0;
    std::uint32_t key_bytes = 0;
    std::uint32_t value_bytes = 0;
    std::uint32_t size = 0;
    std::uint32_t btf = 0;
  };

  KernelTables() = default;
  Result<> add(std::uint32_t id);
  Result<> find_stats();
  /// All values of an array map, one after another.
  [[nodiscard]] Result<std::vector<std::byte>> values_of(const std::string& name) const;

  std::map<std::string, Map> maps_;
  /// Name of the map that holds global variables, and where `stats` begins in it.
  std::string variables_;
  std::size_t stats_offset_ = 0;
};

}  // namespace evictd::churn
