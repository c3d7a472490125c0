// SPDX-License-Identifier: Apache-2.0
#include "sys/cgroup_layout.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "sys/kernel_text.h"
#include "sys/mount_table.h"

namespace evictd::sys {

namespace {

/// Limits the recursion: no container runtime creates deeper trees.
constexpr int kDeepest = 64;

/// Ids of the v1 hierarchies by controller, from lines of "4:memory:/path".
std::map<std::string, std::uint32_t, std::less<>> ids_of_self(std::string_view text) {
  std::map<std::string, std::uint32_t, std::less<>> ids;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = split(line, ':');
    const std::optional<std::int64_t> id =
        fields.size() >= 3 ? parse_single_number(fields[0]) : std::nullopt;
    if (!id || *id < 0 || *id > UINT32_MAX) {
      continue;
    }
    for (const std::string_view controller : split(fields[1], ',')) {
      ids.emplace(controller, static_cast<std::uint32_t>(*id));
    }
  }
  return ids;
}

/// The same from lines of "memory<TAB>4<TAB>14<TAB>1"; hierarchy 0 means v2 or not mounted.
void add_ids_of_controllers(std::string_view text,
                            std::map<std::string, std::uint32_t, std::less<>>& ids) {
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    const std::optional<std::int64_t> id =
        fields.size() >= 2 ? parse_single_number(fields[1]) : std::nullopt;
    if (id && *id > 0 && *id <= UINT32_MAX) {
      ids.emplace(fields[0], static_cast<std::uint32_t>(*id));
    }
  }
}

/// A part of a hierarchy, mounted for a container, does not show every cgroup. Of several mounts of
/// the whole hierarchy the usual mount point is meant, not that of some chroot.
int preference(const Mount& mount) {
  const bool whole = mount.root == "/";
  const bool usual = mount.point == "/sys/fs/cgroup" || mount.point.starts_with("/sys/fs/cgroup/");
  return (whole ? 2 : 0) + (usual ? 1 : 0);
}

/// The mounts of a machine, before it is known whether they suffice.
struct Found {
  std::vector<Mount> mounts;
  std::map<std::string, std::uint32_t, std::less<>> ids;
  std::optional<Hierarchy> unified;
  std::vector<std::string> unified_controllers;

  [[nodiscard]] std::optional<Hierarchy> on_v1(std::string_view controller) const {
    const auto id = ids.find(controller);
    if (id == ids.end() || id->second == 0) {
      return std::nullopt;
    }
    for (const Mount& mount : mounts) {
      const std::vector<std::string_view> options = split(mount.super_options, ',');
      if (mount.type == "cgroup" &&
          std::find(options.begin(), options.end(), controller) != options.end()) {
        return Hierarchy{CgroupVersion::kV1, id->second, mount.point};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Hierarchy> of(std::string_view controller) const {
    if (std::optional<Hierarchy> v1 = on_v1(controller)) {
      return v1;
    }
    const bool delegated = std::find(unified_controllers.begin(), unified_controllers.end(),
                                     controller) != unified_controllers.end();
    return delegated ? unified : std::nullopt;
  }
};

Result<Found> look_around(const Root& root) {
  EVICTD_ASSIGN_OR_RETURN(
      const std::string mounts,
      EVICTD_IN("find the cgroup mounts (is /proc mounted?)", root.read("/proc/self/mountinfo")));
  Found found;
  found.mounts = parse_mount_table(mounts);
  std::ranges::stable_sort(found.mounts, std::ranges::greater{}, preference);
  if (const Result<std::string> self = root.read("/proc/self/cgroup")) {
    found.ids = ids_of_self(*self);
  }
  if (const Result<std::string> controllers = root.read("/proc/cgroups")) {
    add_ids_of_controllers(*controllers, found.ids);
  }
  for (const Mount& mount : found.mounts) {
    if (mount.type == "cgroup2" && !found.unified) {
      found.unified = Hierarchy{CgroupVersion::kV2, 0, mount.point};
    }
  }
  if (found.unified) {
    const Result<std::string> names = root.read(found.unified->path_of("cgroup.controllers"));
    for (const std::string_view name : split(names ? std::string_view(*names) : "", ' ')) {
      found.unified_controllers.emplace_back(name.substr(0, name.find('\n')));
    }
  }
  return found;
}

Failure no_memory_controller(const Found& found) {
  std::string text = "no cgroup memory controller: ";
  if (found.unified) {
    text += "cgroup2 is mounted at " + found.unified->mount + " without it";
  } else {
    text += "no cgroup2 mount";
  }
  text +=
      " and no cgroup v1 mount has it; boot with cgroup_enable=memory, or mount cgroup2, or "
      "mount -t cgroup -o memory";
  return fail(Errc::kUnsupported, std::move(text));
}

/// A cgroup below an open directory; `name` is its path from there, empty for the directory itself.
struct CgroupBelow {
  const Directory& directory;
  const std::string& name;
};

Result<bool> has_process(const CgroupBelow& cgroup, std::span<const Directory::Entry> children,
                         int depth);

/// Whether `child` of `cgroup` or a descendant contains a process.
Result<bool> has_process_in(const CgroupBelow& cgroup, const Directory::Entry& child, int depth) {
  const std::string name = name_below(cgroup.name, child.name);
  const Result<Directory::Look> look =
      child.look ? Result<Directory::Look>(*child.look) : cgroup.directory.look_at(name);
  if (look && !look->may_have_directories()) {
    return cgroup.directory.has_text(name + "/cgroup.procs");
  }
  EVICTD_ASSIGN_OR_RETURN(const Directory below, cgroup.directory.open_directory(name));
  const Result<std::vector<Directory::Entry>> children = below.directories();
  return children ? has_process({.directory = below, .name = ""}, *children, depth + 1)
                  : Result<bool>(Failure(children.error()));
}

/// A pod's processes are usually in its containers' cgroups, not in its own: those come first.
Result<bool> has_process(const CgroupBelow& cgroup, std::span<const Directory::Entry> children,
                         int depth) {
  if (depth >= kDeepest) {
    return true;
  }
  for (const Directory::Entry& child : children) {
    Result<bool> below = has_process_in(cgroup, child, depth);
    // A child that vanished during the walk has no process.
    if (!below && below.error().code != Errc::kNotFound) {
      return below;
    }
    if (below && *below) {
      return true;
    }
  }
  return cgroup.directory.has_text(name_below(cgroup.name, "cgroup.procs"));
}

}  // namespace

Result<CgroupLayout> CgroupLayout::detect(const Root& root) {
  EVICTD_ASSIGN_OR_RETURN(const Found found, look_around(root));
  const std::optional<Hierarchy> memory = found.of("memory");
  if (!memory) {
    return no_memory_controller(found);
  }
  CgroupLayout layout;
  layout.memory_ = *memory;
  layout.pids_ = found.of("pids");
  layout.unified_ = found.unified;
  layout.freezer_ = found.on_v1("freezer");
  if (!layout.freezer_ && memory->version == CgroupVersion::kV2) {
    layout.freezer_ = found.unified;
  }
  return layout;
}

CgroupMode CgroupLayout::mode() const {
  if (memory_.version == CgroupVersion::kV2) {
    return CgroupMode::kV2;
  }
  return unified_ ? CgroupMode::kHybrid : CgroupMode::kV1;
}

std::string_view to_string(CgroupMode mode) {
  switch (mode) {
    case CgroupMode::kV1:
      return "v1";
    case CgroupMode::kHybrid:
      return "hybrid";
    case CgroupMode::kV2:
      return "v2";
  }
  return "v2";
}

Result<CgroupId> cgroup_id(const Root& root, const Hierarchy& hierarchy, std::string_view path) {
  const std::string directory = hierarchy.path_of(path);
  EVICTD_ASSIGN_OR_RETURN(const base::Fd fd, root.open_file(directory, O_PATH | O_DIRECTORY));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, "stat " + directory);
  }
  return CgroupId{hierarchy.id, status.st_ino};
}

Result<bool> is_populated(const Directory& directory, const std::string& name,
                          CgroupVersion version, std::span<const Directory::Entry> children) {
  if (version == CgroupVersion::kV1) {
    return has_process({.directory = directory, .name = name}, children, 0);
  }
  EVICTD_ASSIGN_OR_RETURN(const std::string events,
                          directory.read(name_below(name, "cgroup.events")));
  const std::optional<std::int64_t> populated = find_stat(events, "populated");
  if (!populated) {
    return fail(Errc::kMalformed, "read cgroup.events: no line 'populated'");
  }
  return *populated != 0;
}

Result<bool> is_populated(const Root& root, const Hierarchy& hierarchy, std::string_view path) {
  const std::string name = hierarchy.path_of(path);
  EVICTD_ASSIGN_OR_RETURN(const Directory directory, Directory::open(root, name));
  const Result<std::vector<Directory::Entry>> children = hierarchy.version == CgroupVersion::kV1
                                                             ? directory.directories()
                                                             : std::vector<Directory::Entry>{};
  Result<bool> populated = children ? is_populated(directory, "", hierarchy.version, *children)
                                    : Result<bool>(Failure(children.error()));
  return populated ? populated : fail_in(name, populated.error());
}

}  // namespace evictd::sys
