// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "stage/daemon_process.h"

namespace evictd::bench {

/// evictd's configurations in a race.
enum class EvictdMode {
  kBpf,        ///< Grace 0.
  kBpfGrace,   ///< The default grace and its floor.
  kBpfBridge,  ///< The same, and the victim is throttled by its memory.high in the grace.
  kPoll,       ///< Polling every 10 s as the kubelet does, grace 0.
};

struct RacingDaemonOptions {
  EvictdMode mode = EvictdMode::kBpf;
  /// Of the private tree with the pods.
  std::string cgroup_root;
  /// Directory of the evictd binary.
  std::filesystem::path programs;
  /// A private directory on tmpfs.
  std::filesystem::path directory;
  std::filesystem::path manifests;
  /// Signal to threshold, as in a configuration.
  nlohmann::json eviction_hard;
  /// Source of memory.available, as in a configuration.
  std::string_view memory_available_source = "kubelet";
};

/// evictd's configuration for a race.
[[nodiscard]] std::string racing_config(const RacingDaemonOptions& options);

/// Writes it and starts evictd with the OOM score of its unit.
/// Errors: as DaemonProcess::start() and set_oom_score_adj().
[[nodiscard]] Result<stage::DaemonProcess> start_racing_daemon(const RacingDaemonOptions& options);

/// OOMScoreAdjust of evictd.service; rivals get the same.
inline constexpr int kContestantScore = -999;

}  // namespace evictd::bench
