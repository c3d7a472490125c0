// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/ladder.h"

namespace evictd::probe {

/// Features of this kernel: BTF, kprobes, PSI, the version of the cgroup memory and pids
/// controllers. Reads a handful of files below `root` ("" is this machine).
[[nodiscard]] std::vector<Feature> kernel_features(const std::string& root,
                                                   const std::string& custom_btf_path);

/// Resource limits that replace a capability.
struct ProcessLimits {
  /// RLIMIT_RTPRIO is not 0.
  bool realtime_priority = false;
  /// RLIMIT_MEMLOCK is infinite.
  bool locked_memory = false;
};
[[nodiscard]] ProcessLimits own_limits();

/// Which capabilities of evictd are effective or replaced. The kernel accepts CAP_SYS_ADMIN for
/// CAP_BPF and CAP_PERFMON; `limits` can replace CAP_SYS_NICE and CAP_IPC_LOCK. `status`: the text
/// of /proc/self/status; without CapEff all are unknown.
[[nodiscard]] std::vector<Feature> privileges(std::string_view status, const ProcessLimits& limits);

[[nodiscard]] bool has_kprobes(const std::string& root);

/// The text of a small file, empty if it cannot be read.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace evictd::probe
