// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace evictd {

/// Identifies one cgroup on this machine until it is removed. On cgroup v1 an id is unique only
/// within its hierarchy. Every map, BPF maps included, therefore uses the pair as key.
struct CgroupId {
  /// cgroup_root::hierarchy_id; 0 is the v2 hierarchy. Source: first field of /proc/self/cgroup.
  std::uint32_t hierarchy = 0;
  /// kernfs id of the directory, which is its inode number in cgroupfs. 0: no cgroup.
  std::uint64_t id = 0;

  constexpr auto operator<=>(const CgroupId&) const = default;
  [[nodiscard]] constexpr explicit operator bool() const { return id != 0; }
};

}  // namespace evictd
