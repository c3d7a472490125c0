// SPDX-License-Identifier: Apache-2.0
#include "enforce/own_cgroups.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "enforce/process_lister.h"
#include "sys/mount_table.h"

namespace evictd::enforce {

namespace {

/// Of pids in one cgroup: the root of a hierarchy may have all threads of the kernel.
constexpr std::size_t kMostListed = 16384;
/// Of the text of cgroup.procs, at a time.
constexpr std::size_t kListBytes = 16384;

/// The path of a line "4:memory:/path" of /proc/PID/cgroup; nothing without a line of `hierarchy`.
std::optional<std::string_view> path_in(std::string_view text, std::uint32_t hierarchy) {
  const std::string prefix = std::to_string(hierarchy) + ":";
  for (const std::string_view line : sys::split(text, '\n')) {
    const std::size_t path = line.find(":/");
    if (line.starts_with(prefix) && path != std::string_view::npos) {
      return line.substr(path + 1);
    }
  }
  return std::nullopt;
}

bool lists(const sys::Root& root, const std::string& directory, pid_t pid) {
  const Result<base::Fd> procs =
      root.open_file(sys::join_path(directory, "cgroup.procs"), O_RDONLY);
  ProcessList list(kMostListed);
  std::vector<char> text(kListBytes);
  return procs && read_procs(procs->get(), text, list) == ProcsRead::kWhole &&
         std::find(list.pids.begin(), list.pids.end(), pid) != list.pids.end();
}

}  // namespace

std::optional<OwnCgroups> OwnCgroups::find(const sys::Root& root,
                                           std::span<const sys::Hierarchy> hierarchies) {
  OwnCgroups own;
  for (const pid_t pid : {pid_t{1}, ::getpid()}) {
    const Result<std::string> text = root.read("/proc/" + std::to_string(pid) + "/cgroup");
    if (!text) {
      return std::nullopt;
    }
    for (const sys::Hierarchy& hierarchy : hierarchies) {
      const std::optional<std::string_view> path = path_in(*text, hierarchy.id);
      const Result<CgroupId> id =
          path ? sys::cgroup_id(root, hierarchy, *path) : fail(Errc::kNotFound, "no such line");
      if (!id || !lists(root, hierarchy.path_of(*path), pid)) {
        return std::nullopt;
      }
      own.ids_.push_back(*id);
    }
  }
  return own;
}

}  // namespace evictd::enforce
