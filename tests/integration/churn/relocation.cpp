// SPDX-License-Identifier: Apache-2.0
#include "relocation.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "stage/text_file.h"

namespace evictd::churn {
namespace {

std::vector<pid_t> processes_in(const std::filesystem::path& cgroup) {
  std::vector<pid_t> found;
  std::istringstream lines{stage::read_text(cgroup / "cgroup.procs").value_or(std::string{})};
  for (pid_t pid = 0; lines >> pid;) {
    found.push_back(pid);
  }
  return found;
}

/// Until a listing has only processes that were told to move.
void move_all(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::set<pid_t> told;
  for (bool more = true; more;) {
    more = false;
    for (const pid_t pid : processes_in(from)) {
      if (told.insert(pid).second) {
        more = true;
        // It may have died.
        static_cast<void>(stage::write_kernel_file(to / "cgroup.procs", std::to_string(pid)));
      }
    }
  }
}

}  // namespace

bool has_entered(const stage::PrivateTree& tree, const stage::StagedPod& pod, pid_t process) {
  const std::vector<std::filesystem::path> directories = tree.directories_of(pod);
  return std::all_of(directories.begin(), directories.end(), [&](const auto& directory) {
    const std::vector<pid_t> there = processes_in(directory);
    return std::find(there.begin(), there.end(), process) != there.end();
  });
}

void move_processes(const stage::PrivateTree& tree, const stage::StagedPod& from,
                    const stage::StagedPod& to) {
  const std::vector<std::filesystem::path> old = tree.directories_of(from);
  const std::vector<std::filesystem::path> fresh = tree.directories_of(to);
  for (std::size_t i = 0; i < old.size(); ++i) {
    move_all(old[i], fresh[i]);
  }
}

}  // namespace evictd::churn
