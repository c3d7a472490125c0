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

/// The cgroup version of a machine's controllers.
enum class CgroupMode {
  kV1,      ///< Every controller that evictd uses is on v1; no cgroup2 mount.
  kHybrid,  ///< Memory is on v1 and a cgroup2 hierarchy ("unified") is mounted beside it.
  kV2,      ///< Memory is on v2.
};

/// One mounted hierarchy.
struct Hierarchy {
  CgroupVersion version = CgroupVersion::kV2;
  /// cgroup_root::hierarchy_id: 0 for v2; source: first field of /proc/self/cgroup.
  std::uint32_t id = 0;
  /// Absolute mount point without a trailing '/': "/sys/fs/cgroup/memory".
  std::string mount;

  /// The path below Root of the cgroup `path` of this hierarchy; a leading '/' is optional.
  [[nodiscard]] std::string path_of(std::string_view path) const { return join_path(mount, path); }
  bool operator==(const Hierarchy&) const = default;
};

/// The mounts of the controllers that evictd uses, detected once at start.
class CgroupLayout {
 public:
  /// Source: /proc/self/mountinfo, /proc/self/cgroup, cgroup.controllers of the cgroup2 mount.
  /// /proc/cgroups is only a fallback for the ids: newer kernels omit v2 controllers there.
  /// Errors: kUnsupported without a memory controller, with what was found instead and how to
  /// enable it; kNotFound if /proc is not mounted.
  [[nodiscard]] static Result<CgroupLayout> detect(const Root& root);

  [[nodiscard]] CgroupMode mode() const;
  [[nodiscard]] const Hierarchy& memory() const { return memory_; }
  /// Absent without the controller: tasks are then not counted per cgroup.
  [[nodiscard]] const std::optional<Hierarchy>& pids() const { return pids_; }
  /// On v2 freezing needs no controller, so this is the cgroup2 hierarchy.
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

/// The id of the cgroup `path` in `hierarchy`: the inode number of its directory.
/// Errors: kNotFound if there is no such cgroup. Cost: three system calls.
[[nodiscard]] Result<CgroupId> cgroup_id(const Root& root, const Hierarchy& hierarchy,
                                         std::string_view path);

/// Whether the cgroup `path` or a descendant contains a live process. Zombies do not count.
/// Source: cgroup.events on v2; cgroup.procs of the whole subtree on v1, reopened each time.
/// Errors: kNotFound if there is no such cgroup.
[[nodiscard]] Result<bool> is_populated(const Root& root, const Hierarchy& hierarchy,
                                        std::string_view path);
/// The same for the cgroup `name` below `directory`; an empty `name` means `directory` itself.
/// `children` are its subdirectories; the list may be empty on v2.
[[nodiscard]] Result<bool> is_populated(const Directory& directory, const std::string& name,
                                        CgroupVersion version,
                                        std::span<const Directory::Entry> children);

}  // namespace evictd::sys
