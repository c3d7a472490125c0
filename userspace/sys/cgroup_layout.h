// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "sys/directory.h"
#include "sys/root.h"

namespace evictd::sys {

enum class CgroupVersion { kV1, kV2 };

/// How a machine has its controllers.
enum class CgroupMode {
  kV1,      ///< Every controller that we use is on v1; no cgroup2 mount.
  kHybrid,  ///< Memory is on v1 and a cgroup2 hierarchy ("unified") is mounted beside it.
  kV2,      ///< Memory is on v2.
};

/// One mounted hierarchy.
struct Hierarchy {
  CgroupVersion version = CgroupVersion::kV2;
  /// cgroup_root::hierarchy_id: 0 for v2; source: first field of /proc/self/cgroup.
  std::uint32_t id = 0;
  /// Where it is mounted, absolute, without a '/' at the end: "/sys/fs/cgroup/memory".
  std::string mount;

  /// `path` (of a cgroup within the hierarchy, with or without a leading '/') as a path of the
  /// Root.
  [[nodiscard]] std::string path_of(std::string_view path) const { return join_path(mount, path); }
  bool operator==(const Hierarchy&) const = default;
};

/// Where each controller that evictd uses is mounted, found once at start.
class CgroupLayout {
 public:
  /// Source: /proc/self/mountinfo, /proc/self/cgroup, cgroup.controllers of the cgroup2 mount.
  /// /proc/cgroups is only a fallback for the ids: newer kernels leave v2 controllers out of it.
  /// Errors: kUnsupported when there is no memory controller, saying what was found instead and how
  /// to get one; kNotFound when /proc is not mounted.
  [[nodiscard]] static Result<CgroupLayout> detect(const Root& root);

  [[nodiscard]] CgroupMode mode() const;
  [[nodiscard]] const Hierarchy& memory() const { return memory_; }
  /// Absent without the controller; then no tasks are counted per cgroup.
  [[nodiscard]] const std::optional<Hierarchy>& pids() const { return pids_; }
  /// On v2 freezing needs no controller, so this is the cgroup2 hierarchy there.
  [[nodiscard]] const std::optional<Hierarchy>& freezer() const { return freezer_; }
  /// The cgroup2 mount, with or without controllers.
  [[nodiscard]] const std::optional<Hierarchy>& unified() const { return unified_; }

 private:
  CgroupLayout() = default;

  Hierarchy memory_;
  std::optional<Hierarchy> pids_;
  std::optional<Hierarchy> freezer_;
  std::optional<Hierarchy> unified_;
};

/// "v1", "hybrid", "v2".
[[nodiscard]] std::string_view to_string(CgroupMode mode);

/// The id of the cgroup `path` of `hierarchy`: the inode number of its directory.
/// Errors: kNotFound when there is no such cgroup. Cost: three system calls.
[[nodiscard]] Result<CgroupId> cgroup_id(const Root& root, const Hierarchy& hierarchy,
                                         std::string_view path);

/// Whether a live process is in the cgroup `path` or below it. Zombies do not count.
/// Source: cgroup.events on v2; cgroup.procs of the whole subtree on v1, opened anew each time.
/// Errors: kNotFound when there is no such cgroup.
[[nodiscard]] Result<bool> is_populated(const Root& root, const Hierarchy& hierarchy,
                                        std::string_view path);
/// The same of the cgroup `name` below `directory`, which is itself where `name` is empty.
/// `children` are the directories in it, which may be none on v2.
[[nodiscard]] Result<bool> is_populated(const Directory& directory, const std::string& name,
                                        CgroupVersion version,
                                        std::span<const Directory::Entry> children);

}  // namespace evictd::sys
