// SPDX-License-Identifier: Apache-2.0
#include "stage/hierarchies.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::stage {
namespace {

/// One mount of /proc/self/mountinfo, as far as needed here.
struct Mount {
  /// The mounted directory of the filesystem.
  std::string root;
  std::string point;
  std::string type;
  std::string super_options;
};

/// "36 35 98:0 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
Mount parse_mount(const std::string& line) {
  std::istringstream fields{line};
  std::string skipped;
  Mount mount;
  fields >> skipped >> skipped >> skipped >> mount.root >> mount.point;
  while (fields >> skipped && skipped != "-") {
  }
  fields >> mount.type >> skipped >> mount.super_options;
  return mount;
}

bool has_word(const std::string& list, char separator, const std::string& word) {
  std::istringstream words{list};
  for (std::string one; std::getline(words, one, separator);) {
    if (one == word) {
      return true;
    }
  }
  return false;
}

/// A part of a hierarchy, mounted for a container, shows none of our cgroups. Of several mounts of
/// the whole hierarchy the usual mount point is ours, not that of some chroot.
int preference(const Mount& mount) {
  const bool whole = mount.root == "/";
  const bool usual = mount.point == "/sys/fs/cgroup" || mount.point.starts_with("/sys/fs/cgroup/");
  return (whole ? 2 : 0) + (usual ? 1 : 0);
}

/// Best first; equal ones in the kernel's order.
std::vector<Mount> cgroup_mounts(const std::string& text) {
  std::vector<Mount> mounts;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    Mount mount = parse_mount(line);
    if (mount.type == "cgroup" || mount.type == "cgroup2") {
      mounts.push_back(std::move(mount));
    }
  }
  std::ranges::stable_sort(mounts, std::ranges::greater{}, preference);
  return mounts;
}

/// Empty if no v1 mount has the controller.
std::filesystem::path v1_mount_of(const std::vector<Mount>& mounts, const std::string& controller) {
  for (const Mount& mount : mounts) {
    if (mount.type == "cgroup" && has_word(mount.super_options, ',', controller)) {
      return mount.point;
    }
  }
  return {};
}

}  // namespace

Result<Hierarchies> Hierarchies::detect(const std::filesystem::path& root) {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, read_text(root / "proc/self/mountinfo"));
  const std::vector<Mount> mounts = cgroup_mounts(text);
  const Hierarchies v1{CgroupVersion::kV1, v1_mount_of(mounts, "memory"),
                       v1_mount_of(mounts, "pids")};
  if (!v1.memory.empty() && !v1.pids.empty()) {
    return v1;
  }
  for (const Mount& mount : mounts) {
    const std::filesystem::path controllers = root / mount.point.substr(1) / "cgroup.controllers";
    std::string words = mount.type == "cgroup2" ? read_text(controllers).value_or("") : "";
    words.resize(words.find_last_not_of('\n') + 1);
    if (has_word(words, ' ', "memory") && has_word(words, ' ', "pids")) {
      return Hierarchies{CgroupVersion::kV2, mount.point, mount.point};
    }
  }
  return fail(Errc::kUnsupported,
              "no cgroup hierarchy with the memory and pids controllers is mounted");
}

const char* Hierarchies::usage_file() const {
  return unified() ? "memory.current" : "memory.usage_in_bytes";
}

const char* Hierarchies::memory_limit_file() const {
  return unified() ? "memory.max" : "memory.limit_in_bytes";
}

}  // namespace evictd::stage
