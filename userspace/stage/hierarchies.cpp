// SPDX-License-Identifier: Apache-2.0
#include "stage/hierarchies.h"

#include <sstream>
#include <string>

#include "stage/text_file.h"

namespace evictd::stage {
namespace {

/// One mount as /proc/self/mountinfo tells it, as far as needed here.
struct Mount {
  std::string point;
  std::string type;
  std::string super_options;
};

/// "36 35 98:0 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
Mount parse_mount(const std::string& line) {
  std::istringstream fields{line};
  std::string skipped;
  Mount mount;
  fields >> skipped >> skipped >> skipped >> skipped >> mount.point;
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

}  // namespace

Result<Hierarchies> Hierarchies::detect() {
  const Result<std::string> text = read_text("/proc/self/mountinfo");
  if (!text) {
    return tl::unexpected(text.error());
  }
  Hierarchies found;
  std::istringstream lines{*text};
  for (std::string line; std::getline(lines, line);) {
    const Mount mount = parse_mount(line);
    if (mount.type == "cgroup" && has_word(mount.super_options, ',', "memory")) {
      found.memory = mount.point;
      found.version = CgroupVersion::kV1;
    } else if (mount.type == "cgroup" && has_word(mount.super_options, ',', "pids")) {
      found.pids = mount.point;
    } else if (mount.type == "cgroup2" && found.memory.empty()) {
      const Result<std::string> controllers = read_text(mount.point + "/cgroup.controllers");
      std::string words = controllers.value_or(std::string{});
      words.resize(words.find_last_not_of('\n') + 1);
      if (has_word(words, ' ', "memory") && has_word(words, ' ', "pids")) {
        found = {CgroupVersion::kV2, mount.point, mount.point};
      }
    }
  }
  if (found.memory.empty() || found.pids.empty()) {
    return fail(Errc::kUnsupported,
                "no cgroup hierarchy with the memory and pids controllers is mounted");
  }
  return found;
}

const char* Hierarchies::usage_file() const {
  return unified() ? "memory.current" : "memory.usage_in_bytes";
}

const char* Hierarchies::memory_limit_file() const {
  return unified() ? "memory.max" : "memory.limit_in_bytes";
}

}  // namespace evictd::stage
