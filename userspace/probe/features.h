// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/ladder.h"

namespace evictd::probe {

/// What this kernel has: BTF, kprobes, PSI, the version of the cgroup memory and pids controllers.
/// Reads a handful of files below `root` ("" is this machine).
[[nodiscard]] std::vector<Feature> kernel_features(const std::string& root,
                                                   const std::string& custom_btf_path);

/// Resource limits that do as well as a capability.
struct ProcessLimits {
  /// RLIMIT_RTPRIO is not 0.
  bool realtime_priority = false;
  /// RLIMIT_MEMLOCK is infinite.
  bool locked_memory = false;
};
[[nodiscard]] ProcessLimits own_limits();

/// Which of the capabilities that evictd uses are effective, or held otherwise: CAP_BPF and
/// CAP_PERFMON by CAP_SYS_ADMIN, which the kernel takes for them, CAP_SYS_NICE and CAP_IPC_LOCK by
/// `limits`. `status` is the text of /proc/self/status: without its CapEff all are unknown.
[[nodiscard]] std::vector<Feature> privileges(std::string_view status, const ProcessLimits& limits);

[[nodiscard]] bool has_kprobes(const std::string& root);

/// The text of a small file, empty if it cannot be read.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace evictd::probe
