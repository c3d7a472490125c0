// SPDX-License-Identifier: Apache-2.0
#include "probe/features.h"

#include <linux/capability.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/regular_file.h"

namespace evictd::probe {
namespace {

struct Capability {
  std::string_view name;
  unsigned bit;
  std::string_view without;
};

constexpr std::array kCapabilities = {
    Capability{"CAP_BPF", CAP_BPF, "no kernel program can be loaded: polling only"},
    Capability{"CAP_PERFMON", CAP_PERFMON, "no tracing program can be loaded: polling only"},
    Capability{"CAP_SYS_ADMIN", CAP_SYS_ADMIN, "cgroup directories of others may be refused"},
    Capability{"CAP_KILL", CAP_KILL, "pods of other users cannot be signalled"},
    Capability{"CAP_SYS_NICE", CAP_SYS_NICE, "no SCHED_FIFO: detection waits for other tasks"},
    Capability{"CAP_IPC_LOCK", CAP_IPC_LOCK,
               "memory is not locked: evictd may fault under pressure"},
    Capability{"CAP_SYS_RESOURCE", CAP_SYS_RESOURCE,
               "oom_score_adj cannot be lowered; PSI triggers need windows of 2 s"},
    Capability{"CAP_DAC_OVERRIDE", CAP_DAC_OVERRIDE, "files of other users cannot be read"},
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Feature btf(const std::string& root, const std::string& custom_btf_path) {
  const std::string own = root + "/sys/kernel/btf/vmlinux";
  if (!exists(own)) {
    // A file serves relocations; what tracing programs attach to is looked up in the kernel's own.
    return {.name = "BTF",
            .present = false,
            .detail = "no kernel program can be loaded without " + own};
  }
  const std::string path = custom_btf_path.empty() ? own : custom_btf_path;
  const bool present = exists(path) && !base::is_no_regular_file(path);
  return {.name = "BTF",
          .present = present,
          .detail = present ? path : "no kernel program can be loaded without " + path};
}

/// The version under which `controller` is mounted: v1 if a cgroup mount names it, v2 if a cgroup2
/// mount lists it in cgroup.controllers.
Feature controller(const std::string& root, std::string_view mounts, std::string_view controller) {
  std::istringstream lines{std::string(mounts)};
  std::string line;
  Feature feature{.name = "cgroup " + std::string(controller), .present = false, .detail = ""};
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string device;
    std::string where;
    std::string type;
    std::string options;
    words >> device >> where >> type >> options;
    const bool v1 =
        type == "cgroup" &&
        ("," + options + ",").find("," + std::string(controller) + ",") != std::string::npos;
    const bool v2 =
        type == "cgroup2" && (" " + read_text(root + where + "/cgroup.controllers") + " ")
                                     .find(std::string(controller)) != std::string::npos;
    if (v1 || v2) {
      feature.present = true;
      feature.detail = std::string(v1 ? "v1 at " : "v2 at ") + where;
      return feature;
    }
  }
  feature.detail = "not mounted: its signals are not watched";
  return feature;
}

}  // namespace

bool has_kprobes(const std::string& root) {
  return exists(root + "/sys/bus/event_source/devices/kprobe");
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Feature> kernel_features(const std::string& root, const std::string& custom_btf_path) {
  const std::string mounts = read_text(root + "/proc/mounts");
  const bool kprobes = has_kprobes(root);
  const bool psi = exists(root + "/proc/pressure/memory");
  return {
      btf(root, custom_btf_path),
      {.name = "kprobes",
       .present = kprobes,
       .detail = kprobes ? "built in" : "not built in: rows that need them are left out"},
      {.name = "PSI", .present = psi, .detail = psi ? "on" : "off: no pressure stall information"},
      controller(root, mounts, "memory"),
      controller(root, mounts, "pids"),
  };
}

std::vector<Feature> privileges(std::string_view status) {
  constexpr std::string_view kKey = "CapEff:\t";
  std::uint64_t effective = 0;
  const std::size_t at = status.find(kKey);
  if (at != std::string_view::npos) {
    const std::string_view digits = status.substr(at + kKey.size(), 16);
    std::from_chars(digits.data(), digits.data() + digits.size(), effective, 16);
  }
  std::vector<Feature> features;
  for (const Capability& capability : kCapabilities) {
    const bool present = (effective >> capability.bit & 1U) != 0;
    features.push_back({.name = std::string(capability.name),
                        .present = present,
                        .detail = present ? "" : std::string(capability.without)});
  }
  return features;
}

}  // namespace evictd::probe
