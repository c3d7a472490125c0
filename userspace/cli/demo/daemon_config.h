// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "demo/demo.h"
#include "demo/script.h"
#include "stage/private_tree.h"

namespace evictd::demo {

struct DaemonConfigInput {
  const DemoOptions& options;
  const Sizes& sizes;
  const stage::PrivateTree& tree;
  const std::filesystem::path& directory;
  /// The filesystem of the disk scenarios; empty in others.
  const std::filesystem::path& disk;
};

/// How long the soft threshold must have been met.
inline constexpr int kSoftGraceSeconds = 2;

/// What a kubelet of 1.32 gives a pod that exceeds a limit on local storage.
inline constexpr int kLocalStorageGraceSeconds = 1;

/// The grace that the scenario has unless it is told otherwise.
[[nodiscard]] std::int64_t grace_seconds_of(const DemoOptions& options);

/// Where evictd writes its decisions and events, absolute: beside what --record names, or with
/// --keep in the play's `directory`; empty where nothing is to be left.
[[nodiscard]] std::filesystem::path record_file_of(const DemoOptions& options,
                                                   const std::filesystem::path& directory);

/// evictd's configuration for one play, as JSON, which is YAML. What `evictd --config` is given.
[[nodiscard]] std::string daemon_config(const DaemonConfigInput& input);

}  // namespace evictd::demo
