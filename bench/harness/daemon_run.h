// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "stage/daemon_process.h"
#include "stage/private_tree.h"

namespace evictd::bench {

struct DaemonRunOptions {
  const stage::PrivateTree& tree;
  /// Directory of the evictd binary.
  std::filesystem::path programs;
  /// A private directory on tmpfs.
  std::filesystem::path directory;
  /// Hard threshold of allocatableMemory.available.
  Bytes threshold;
  /// Merged over the configuration that all benches share.
  nlohmann::json more = nlohmann::json::object();
  /// Arguments of evictd after its configuration.
  std::vector<std::string> arguments{};
};

/// The configuration that all benches share, with `more` merged over it: grace 0, no kill by the
/// kernel side, events from BPF, every pod of the tree is evictable, no limit on evictions a
/// minute.
[[nodiscard]] std::string bench_config(const DaemonRunOptions& options);

/// Writes that configuration and starts evictd on it; returns once it is ready.
[[nodiscard]] Result<stage::DaemonProcess> start_daemon(const DaemonRunOptions& options);

}  // namespace evictd::bench
