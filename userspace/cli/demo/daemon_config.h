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

/// Grace period of the soft threshold.
inline constexpr int kSoftGraceSeconds = 2;

/// The grace that a 1.32 kubelet gives a pod that exceeds a limit on local storage.
inline constexpr int kLocalStorageGraceSeconds = 1;

/// The grace of the scenario unless an option sets it.
[[nodiscard]] std::int64_t grace_seconds_of(const DemoOptions& options);

/// The absolute path of evictd's records of decisions and events: beside the --record file, or with
/// --keep in the play's `directory`. Empty if no file is to remain.
[[nodiscard]] std::filesystem::path record_file_of(const DemoOptions& options,
                                                   const std::filesystem::path& directory);

/// evictd's configuration for one play, as JSON (which is YAML), for `evictd --config`.
[[nodiscard]] std::string daemon_config(const DaemonConfigInput& input);

}  // namespace evictd::demo
