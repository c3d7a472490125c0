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

#include "sys/kernel_text.h"
#include "sys/mount_table.h"

namespace evictd::sys {

namespace {

/// Deeper trees than any container runtime makes end a search instead of the stack.
constexpr int kDeepest = 64;

/// Numbers of the v1 hierarchies by controller, from lines of "4:memory:/path".
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

/// The same from lines of "memory<TAB>4<TAB>14<TAB>1"; hierarchy 0 is "on v2 or nowhere".
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

/// A part of a hierarchy, mounted for a container, does not show every cgroup; and of several
/// mounts of the whole, the one where everybody looks is meant and not that of some chroot.
int preference(const Mount& mount) {
  const bool whole = mount.root == "/";
  const bool usual = mount.point == "/sys/fs/cgroup" || mount.point.starts_with("/sys/fs/cgroup/");
  return (whole ? 2 : 0) + (usual ? 1 : 0);
}

/// What a machine has mounted, before it is known whether that is enough.
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
  const Result<std::string> mounts = root.read("/proc/self/mountinfo");
  if (!mounts) {
    return fail_in("find the cgroup mounts (is /proc mounted?)", mounts.error());
  }
  Found found;
  found.mounts = parse_mount_table(*mounts);
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

Result<bool> has_process(const Root& root, const std::string& directory, int depth) {
  const Result<std::string> processes = root.read(join_path(directory, "cgroup.procs"));
  if (!processes) {
    return Failure(processes.error());
  }
  if (!processes->empty() || depth >= kDeepest) {
    return true;
  }
  const Result<std::vector<std::string>> children = root.directories_in(directory);
  if (!children) {
    return Failure(children.error());
  }
  for (const std::string& child : *children) {
    Result<bool> below = has_process(root, join_path(directory, child), depth + 1);
    // A child that vanished while we looked has no process.
    if (!below && below.error().code != Errc::kNotFound) {
      return below;
    }
    if (below && *below) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<CgroupLayout> CgroupLayout::detect(const Root& root) {
  const Result<Found> found = look_around(root);
  if (!found) {
    return Failure(found.error());
  }
  const std::optional<Hierarchy> memory = found->of("memory");
  if (!memory) {
    return no_memory_controller(*found);
  }
  CgroupLayout layout;
  layout.memory_ = *memory;
  layout.pids_ = found->of("pids");
  layout.unified_ = found->unified;
  layout.freezer_ = found->on_v1("freezer");
  if (!layout.freezer_ && memory->version == CgroupVersion::kV2) {
    layout.freezer_ = found->unified;
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

Result<CgroupLook> look_at_cgroup(const Root& root, const Hierarchy& hierarchy,
                                  std::string_view path) {
  const std::string directory = hierarchy.path_of(path);
  const Result<base::Fd> fd = root.open_file(directory, O_PATH | O_DIRECTORY);
  if (!fd) {
    return Failure(fd.error());
  }
  struct stat status {};
  if (::fstat(fd->get(), &status) != 0) {
    return fail_errno(errno, "stat " + directory);
  }
  // A directory has two links and one more for each directory in it, where links are counted.
  return CgroupLook{.id = {hierarchy.id, status.st_ino}, .may_have_children = status.st_nlink != 2};
}

Result<CgroupId> cgroup_id(const Root& root, const Hierarchy& hierarchy, std::string_view path) {
  const Result<CgroupLook> look = look_at_cgroup(root, hierarchy, path);
  return look ? Result<CgroupId>(look->id) : Result<CgroupId>(Failure(look.error()));
}

Result<bool> is_populated(const Root& root, const Hierarchy& hierarchy, std::string_view path) {
  const std::string directory = hierarchy.path_of(path);
  if (hierarchy.version == CgroupVersion::kV1) {
    return has_process(root, directory, 0);
  }
  const std::string file = join_path(directory, "cgroup.events");
  const Result<std::string> events = root.read(file);
  if (!events) {
    return Failure(events.error());
  }
  const std::optional<std::int64_t> populated = find_stat(*events, "populated");
  if (!populated) {
    return fail(Errc::kMalformed, "read " + file + ": no line 'populated'");
  }
  return *populated != 0;
}

}  // namespace evictd::sys
