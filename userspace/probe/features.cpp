// SPDX-License-Identifier: Apache-2.0
#include "probe/features.h"

#include <linux/capability.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>

#include "base/regular_file.h"

namespace evictd::probe {
namespace {

struct Capability {
  std::string_view name;
  unsigned bit;
  std::string_view without;
  /// What replaces it.
  enum class Instead {
    kNothing,
    kAdmin,  ///< CAP_SYS_ADMIN (bpf_capable(), perfmon_capable()).
    kRealtimeLimit,
    kLockedMemoryLimit,
  } instead = Instead::kNothing;
};
using Instead = Capability::Instead;

constexpr std::array kCapabilities = {
    Capability{"CAP_BPF", CAP_BPF, "no kernel program can be loaded: polling only",
               Instead::kAdmin},
    Capability{"CAP_PERFMON", CAP_PERFMON, "no tracing program can be loaded: polling only",
               Instead::kAdmin},
    Capability{"CAP_SYS_ADMIN", CAP_SYS_ADMIN, "volumes are walked, not asked by quota"},
    Capability{"CAP_KILL", CAP_KILL, "pods of other users cannot be signalled"},
    Capability{"CAP_SYS_PTRACE", CAP_SYS_PTRACE,
               "notifications: reuse of a closed eventfd's number is not detected"},
    Capability{"CAP_SYSLOG", CAP_SYSLOG,
               "where there is swap, the OOM guard has passes and polling only"},
    Capability{"CAP_DAC_OVERRIDE", CAP_DAC_OVERRIDE,
               "pods of other users: forks cannot be stopped, data cannot be removed"},
    Capability{"CAP_SYS_NICE", CAP_SYS_NICE, "no SCHED_FIFO: detection waits for other tasks",
               Instead::kRealtimeLimit},
    Capability{"CAP_IPC_LOCK", CAP_IPC_LOCK,
               "memory is not locked: evictd may fault under pressure",
               Instead::kLockedMemoryLimit},
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

constexpr std::string_view kBtfMagic = "\x9f\xeb";
constexpr std::string_view kElfMagic = "\177ELF";

/// Whether the file begins with one of `magics`; not what the rest is worth.
bool begins_with(const std::string& path, std::initializer_list<std::string_view> magics) {
  std::array<char, kElfMagic.size()> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(file.gcount()));
  return std::any_of(magics.begin(), magics.end(), [&](std::string_view magic) {
    return begin.substr(0, magic.size()) == magic;
  });
}

Feature no_btf(const std::string& why) {
  return {.name = "BTF",
          .presence = Presence::kAbsent,
          .detail = "no kernel program can be loaded " + why};
}

Feature btf_of(const std::string& root, const std::string& custom_btf_path) {
  const std::string own = root + "/sys/kernel/btf/vmlinux";
  // A file serves relocations; targets of tracing programs are found in the kernel's own BTF.
  for (const std::string& path : {own, custom_btf_path}) {
    if (path.empty()) {
      continue;
    }
    if (!exists(path)) {
      return no_btf("without " + path);
    }
    // Reading a FIFO would wait for a writer.
    const bool is_btf = !base::is_no_regular_file(path) &&
                        (begins_with(path, {kBtfMagic}) ||
                         (path == custom_btf_path && begins_with(path, {kElfMagic})));
    if (!is_btf) {
      return no_btf("by " + path + ": it cannot be read or is no BTF");
    }
  }
  return {.name = "BTF",
          .presence = Presence::kPresent,
          .detail = custom_btf_path.empty() ? own : custom_btf_path};
}

/// The version under which `controller` is mounted: v1 if a cgroup mount names it, v2 if a cgroup2
/// mount lists it in cgroup.controllers. Unknown where no mounts can be read: there are some
/// always. `without` is what follows where it is nowhere.
Feature controller(const std::string& root, std::string_view mounts, std::string_view controller,
                   std::string_view without) {
  std::istringstream lines{std::string(mounts)};
  std::string line;
  Feature feature{.name = "cgroup " + std::string(controller), .detail = ""};
  if (mounts.empty()) {
    feature.detail = "unknown: /proc/mounts cannot be read";
    return feature;
  }
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
      feature.presence = Presence::kPresent;
      feature.detail = std::string(v1 ? "v1 at " : "v2 at ") + where;
      return feature;
    }
  }
  feature.presence = Presence::kAbsent;
  feature.detail = "not mounted: " + std::string(without);
  return feature;
}

/// "v1" or "v2"; empty where it is not mounted.
std::string_view version_of(const Feature& controller) {
  const std::string_view detail = controller.detail;
  return controller.presence == Presence::kPresent ? detail.substr(0, detail.find(' ')) : "";
}

/// Says of `pids` that `memory` lies in a hierarchy of the other version, where it does: on kernels
/// without cgroup v1 for memory (an option since 6.11) that were asked for v1.
void mention_split(const Feature& memory, Feature& pids) {
  const std::string_view version = version_of(memory);
  if (!version.empty() && !version_of(pids).empty() && version != version_of(pids)) {
    pids.detail +=
        ", memory in another hierarchy (" + memory.detail + "): a pod needs its directory in both";
  }
}

Feature kprobes(const std::string& root) {
  if (has_kprobes(root)) {
    return {.name = "kprobes", .presence = Presence::kPresent, .detail = "built in"};
  }
  return {.name = "kprobes",
          .presence = Presence::kAbsent,
          .detail = "not built in: rows that need them are not tried"};
}

Feature psi(const std::string& root, std::string_view mounts) {
  if (exists(root + "/proc/pressure/memory")) {
    return {.name = "PSI", .presence = Presence::kPresent, .detail = "on"};
  }
  if (mounts.empty()) {
    return {.name = "PSI", .detail = "unknown: /proc cannot be read"};
  }
  return {
      .name = "PSI", .presence = Presence::kAbsent, .detail = "off: no pressure stall information"};
}

/// The effective set, a bit a capability; nothing if `status` does not tell.
std::optional<std::uint64_t> effective_set(std::string_view status) {
  constexpr std::string_view kKey = "CapEff:\t";
  const std::size_t at = status.find(kKey);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view digits = status.substr(at + kKey.size(), 16);
  std::uint64_t effective = 0;
  const std::from_chars_result read =
      std::from_chars(digits.data(), digits.data() + digits.size(), effective, 16);
  return read.ec == std::errc{} ? std::optional(effective) : std::nullopt;
}

/// Who holds what a missing `capability` is for; empty if nobody does.
std::string_view holder(const Capability& capability, bool is_admin, const ProcessLimits& limits) {
  switch (capability.instead) {
    case Instead::kNothing:
      return "";
    case Instead::kAdmin:
      return is_admin ? "CAP_SYS_ADMIN" : "";
    case Instead::kRealtimeLimit:
      return limits.realtime_priority ? "RLIMIT_RTPRIO" : "";
    case Instead::kLockedMemoryLimit:
      return limits.locked_memory ? "RLIMIT_MEMLOCK" : "";
  }
  return "";
}

Feature privilege(const Capability& capability, std::uint64_t effective,
                  const ProcessLimits& limits) {
  const auto has = [&](unsigned bit) { return (effective >> bit & 1U) != 0; };
  if (has(capability.bit)) {
    return {.name = std::string(capability.name), .presence = Presence::kPresent, .detail = ""};
  }
  if (const std::string_view by = holder(capability, has(CAP_SYS_ADMIN), limits); !by.empty()) {
    return {.name = std::string(capability.name),
            .presence = Presence::kPresent,
            .detail = "held by " + std::string(by)};
  }
  return {.name = std::string(capability.name),
          .presence = Presence::kAbsent,
          .detail = std::string(capability.without)};
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
  const Feature memory =
      controller(root, mounts, "memory",
                 "evictd does not start; boot with cgroup_enable=memory, or mount cgroup2, or "
                 "mount -t cgroup -o memory");
  Feature pids = controller(root, mounts, "pids", "its signals are not watched");
  mention_split(memory, pids);
  return {btf_of(root, custom_btf_path), kprobes(root), psi(root, mounts), memory, pids};
}

ProcessLimits own_limits() {
  rlimit realtime{};
  rlimit locked{};
  return {.realtime_priority = ::getrlimit(RLIMIT_RTPRIO, &realtime) == 0 && realtime.rlim_cur != 0,
          .locked_memory =
              ::getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur == RLIM_INFINITY};
}

std::vector<Feature> privileges(std::string_view status, const ProcessLimits& limits) {
  const std::optional<std::uint64_t> effective = effective_set(status);
  std::vector<Feature> features;
  features.reserve(std::size(kCapabilities));
  for (const Capability& capability : kCapabilities) {
    features.push_back(effective ? privilege(capability, *effective, limits)
                                 : Feature{.name = std::string(capability.name),
                                           .detail = "unknown: no CapEff in /proc/self/status"});
  }
  return features;
}

}  // namespace evictd::probe
